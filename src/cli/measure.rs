//! Doing a batch: a thread of its own does it, this one waits; what was measured is kept whatever happens.

use super::estimate::Estimate;
use super::exit::Exit;
use super::interrupt::Interrupt;
use super::keep::Keeper;
use super::output::say;
use super::places::Named;
use super::progress::Progress;
use super::pulse::{Broken, Listener, Pulse};
use super::vigil::{Bounds, Ended, GivenUp, Vigil};
use crate::model::record::{RunRecord, Status};
use crate::runner::{Batch, BatchError, Listeners, Outcome, Place, run_batch};
use crate::store::RunFile;
use crate::sys::caches::Dropper;
use crate::sys::meter::ProcessMeter;
use crate::sys::threads::this_thread;
use crate::target::below::Below;
use crate::target::ground::Site;
use crate::target::plain::PlainGround;
use anyhow::Context;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long a run file may take to answer when a filesystem hangs.
const RESCUE: Duration = Duration::from_secs(10);
/// The same, when the user wishes to stop at once.
const QUICK_RESCUE: Duration = Duration::from_secs(1);

/// Who is told of each run when it is kept.
pub type Told = Box<dyn FnMut(&RunRecord) + Send>;

/// A place, and what lies below it.
pub struct Stand {
    /// The place.
    pub place: Place,
    /// Its devices, which tell whether anything still moves.
    pub below: Below,
}

impl Stand {
    /// A directory that the user named.
    pub fn of(named: Named, dropper: &Arc<Dropper>, interrupt: &Interrupt) -> Self {
        let Named { label, path, directory, filesystem, device, direct_io } = named;
        let below = Below::of(&directory);
        let ground = PlainGround::of(directory, path, Site { filesystem, device, direct_io });
        let ground = ground.stopped_by(interrupt.shared_flag()).dropping_by(Arc::clone(dropper));
        Self { place: Place::of(label, Box::new(ground)), below }
    }
}

/// How a batch is to be conducted.
pub struct Conduct {
    /// Whether only what went wrong is said.
    pub quiet: bool,
    /// When it is given up.
    pub bounds: Bounds,
    /// Who is told of each run.
    pub told: Told,
}

/// What was measured.
pub struct Measured {
    /// How the batch went.
    pub outcome: Result<Outcome, BatchError>,
    /// Its runs.
    pub runs: Vec<RunRecord>,
    /// Whether every run is in the run file.
    pub is_whole: bool,
    /// Whether it was given up, so that its thread may still hold what it has.
    pub is_given_up: bool,
}

impl Measured {
    /// How the process is to end.
    ///
    /// # Errors
    /// Why the batch ended early, if it did.
    pub fn exit(self) -> anyhow::Result<Exit> {
        let outcome = self.outcome?;
        Ok(if outcome.failed || !self.is_whole { Exit::Failed } else { Exit::Fine })
    }
}

/// Does the batch; each run is in the run file, where there is one, the moment it ends.
///
/// # Errors
/// When no thread can be started; nothing was measured then.
pub fn measure(
    batch: Batch,
    stands: Vec<Stand>,
    file: Option<RunFile>,
    conduct: Conduct,
    interrupt: &Arc<Interrupt>,
) -> anyhow::Result<Measured> {
    let unused = file.as_ref().filter(|file| file.is_unused());
    interrupt.set_empty_file(unused.map(|file| format!("the empty {}", file.path().display())));
    let keeper = Arc::new(Keeper::of(file, batch.identity));
    let pulse = Arc::new(Pulse::default());
    interrupt.set_last_act(last_act(&pulse, &keeper));
    let (places, below): (Vec<Place>, Vec<Below>) = stands.into_iter().map(|stand| (stand.place, stand.below)).unzip();
    let estimate = Estimate::of(batch.plan.clone(), places.len());
    let listener = Listener { inner: Progress::of(Arc::clone(interrupt), conduct.quiet, estimate), pulse: Arc::clone(&pulse) };
    let hands = Hands { interrupt: Arc::clone(interrupt), keeper: Arc::clone(&keeper), listener, told: conduct.told };
    let started = start(batch, places, hands).inspect_err(|_| drop(keeper.end(true)));
    let Started { thread, begun, done } = started.context("no thread can be started")?;
    let number = begun.recv().unwrap_or_default();
    let (outcome, answers) = match Vigil::of(&pulse, below, number, conduct.bounds).wait(&done) {
        Ended::Done(outcome) => {
            // It lets go of its places before it ends.
            let _ = thread.join();
            (outcome, true)
        }
        Ended::GivenUp(given_up) => {
            give_up(&given_up, &pulse, &keeper, |_| true);
            (Ok(Outcome { failed: true, ..Outcome::default() }), false)
        }
        Ended::Panicked => {
            // It removes what it made before it ends; what it has to say was said.
            let _ = thread.join();
            let reason = "a fault in barrow itself; please report it".to_owned();
            give_up(&GivenUp { status: Status::Failed, reason }, &pulse, &keeper, |scratch| Path::new(scratch).exists());
            (Ok(Outcome { failed: true, ..Outcome::default() }), true)
        }
    };
    let (runs, is_whole) = keeper.end(answers);
    Ok(Measured { outcome, runs, is_whole, is_given_up: !answers })
}

/// What the thread of a batch hears and is heard by.
struct Hands {
    interrupt: Arc<Interrupt>,
    keeper: Arc<Keeper>,
    listener: Listener<Progress>,
    told: Told,
}

/// The thread of a batch.
struct Started {
    thread: JoinHandle<()>,
    /// Its number.
    begun: Receiver<i32>,
    /// How the batch went.
    done: Receiver<Result<Outcome, BatchError>>,
}

fn start(batch: Batch, mut places: Vec<Place>, hands: Hands) -> std::io::Result<Started> {
    let (begins, begun) = channel();
    let (ends, done) = channel();
    let thread = std::thread::Builder::new().name("batch".to_owned()).spawn(move || {
        // Whoever hears of it waits in any case; a message that nobody takes is no loss.
        let _ = begins.send(this_thread());
        let Hands { interrupt, keeper, mut listener, mut told } = hands;
        let pulse = Arc::clone(&listener.pulse);
        let mut keep = |run: RunRecord| {
            if pulse.is_given_up() {
                return;
            }
            pulse.keeps();
            keeper.keep(run.clone());
            pulse.kept();
            interrupt.set_empty_file(None);
            pulse.telling(|| told(&run));
        };
        let mut listeners = Listeners { observer: &mut listener, keep: &mut keep };
        let outcome = run_batch(&batch, &mut places, &ProcessMeter::open(), interrupt.flag(), &mut listeners);
        let _ = ends.send(outcome);
    })?;
    Ok(Started { thread, begun, done })
}

/// Keeps what is finished of a run that does not come to its end, and names what it leaves.
fn give_up(given_up: &GivenUp, pulse: &Pulse, keeper: &Arc<Keeper>, is_left: impl Fn(&str) -> bool) {
    pulse.give_up();
    let Some(broken) = pulse.broken_off(given_up.status, &given_up.reason) else {
        say(&format!("barrow: {}", given_up.reason));
        return;
    };
    let Broken { record, directory, scratch, phase, is_kept } = broken;
    let doing = match phase {
        _ if is_kept => "writing the run file".to_owned(),
        Some(phase) => format!("{} on {directory}", phase.name()),
        None => format!("making or removing files on {directory}"),
    };
    let runs = record.settings().map_or(0, |settings| settings.runs);
    let head = format!("{} {}/{runs}", record.label, record.round);
    say(&format!("barrow: {head}  {doing}: {}; ending with what is finished", given_up.reason));
    keeper.rescue(record, RESCUE);
    if let Some(scratch) = scratch.filter(|scratch| is_left(scratch)) {
        say(&format!("barrow: left behind: {scratch} (when it answers again, `barrow clean {directory}` removes it)"));
    }
}

/// What is done when the user wishes to stop at once: phases that have ended are kept.
fn last_act(pulse: &Arc<Pulse>, keeper: &Arc<Keeper>) -> Box<dyn Fn() -> bool + Send> {
    let (pulse, keeper) = (Arc::clone(pulse), Arc::clone(keeper));
    Box::new(move || {
        let broken = pulse.broken_off(Status::Skipped, "the run was stopped in it");
        let has_result = |broken: &Broken| broken.record.phases.iter().any(|phase| phase.status == Status::Ok);
        let Some(broken) = broken.filter(has_result) else { return false };
        // In a thread of its own, since its words may find nobody who listens.
        let (keeper, (took, taken)) = (Arc::clone(&keeper), channel());
        let rescue = std::thread::Builder::new().spawn(move || {
            let _ = took.send(keeper.rescue(broken.record, QUICK_RESCUE));
        });
        rescue.is_ok() && taken.recv_timeout(3 * QUICK_RESCUE).unwrap_or(false)
    })
}

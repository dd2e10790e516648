//! Nothing allocates while a phase is timed: a counting allocator is read by the meter itself, before and after each phase.

use barrow::model::identity::Identity;
use barrow::model::machine::{FilesystemClass, Machine};
use barrow::model::phase::Phase;
use barrow::model::plan::{Circumstances, Plan};
use barrow::model::profile::Profile;
use barrow::model::record::{PhaseRecord, RunRecord, Status};
use barrow::rng::GENERATOR;
use barrow::runner::{Batch, Listeners, Observer, Place, Standing, run_batch};
use barrow::sys::around::Around;
use barrow::sys::files::open_directory_path;
use barrow::sys::meter::{Meter, ProcessMeter, Reading};
use barrow::target::ground::Site;
use barrow::target::plain::PlainGround;
use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::ThreadId;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
/// Bytes that are allocated at the moment, and the most that ever were since [`peak_of`] began.
static LIVE: AtomicU64 = AtomicU64::new(0);
static PEAK: AtomicU64 = AtomicU64::new(0);
/// Bytes that were ever allocated; of what grew only what was added.
static TAKEN: AtomicU64 = AtomicU64::new(0);

fn taken(bytes: usize) {
    TAKEN.fetch_add(bytes as u64, Ordering::Relaxed);
    let live = LIVE.fetch_add(bytes as u64, Ordering::Relaxed) + bytes as u64;
    PEAK.fetch_max(live, Ordering::Relaxed);
}

fn given_back(bytes: usize) {
    LIVE.fetch_sub(bytes as u64, Ordering::Relaxed);
}

/// The most bytes that some work had allocated at once; only in a process in which nothing else allocates.
pub fn peak_of(work: impl FnOnce()) -> u64 {
    let before = LIVE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    work();
    PEAK.load(Ordering::Relaxed) - before
}

/// What some work allocated.
#[derive(Debug, Clone, Copy)]
pub struct Allocated {
    /// How often.
    pub pieces: u64,
    /// How much in all.
    pub bytes: u64,
    /// How much at once, at the most.
    pub peak: u64,
}

/// What some work allocates; only in a process in which nothing else allocates.
pub fn allocated_by(work: impl FnOnce()) -> Allocated {
    let (pieces, bytes) = (ALLOCATIONS.load(Ordering::Relaxed), TAKEN.load(Ordering::Relaxed));
    let peak = peak_of(work);
    Allocated { pieces: ALLOCATIONS.load(Ordering::Relaxed) - pieces, bytes: TAKEN.load(Ordering::Relaxed) - bytes, peak }
}

/// The system's allocator, counted.
struct Counting;

// SAFETY: every call is handed on unchanged to the system's allocator; counting allocates nothing.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        taken(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        given_back(layout.size());
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // The system's allocator moves the pages of what is large, and need not have it twice.
        given_back(layout.size());
        taken(size);
        TAKEN.fetch_sub(layout.size().min(size) as u64, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The meter of the process that notes the count of allocations at each reading, and the thread that reads.
struct CountingMeter {
    meter: ProcessMeter,
    counts: Mutex<Vec<(ThreadId, u64)>>,
}

impl Meter for CountingMeter {
    fn read(&self) -> Reading {
        let count = ALLOCATIONS.load(Ordering::Relaxed);
        let reading = self.meter.read();
        assert_eq!(ALLOCATIONS.load(Ordering::Relaxed), count, "reading the meter allocates");
        self.counts.lock().expect("no panic").push((std::thread::current().id(), count));
        reading
    }

    fn memory_read_rate(&self) -> Option<u64> {
        self.meter.memory_read_rate()
    }

    fn around(&self) -> Around {
        self.meter.around()
    }
}

struct Deaf;

impl Observer for Deaf {
    fn run_started(&mut self, _: Standing<'_>) {}
    fn run_not_begun(&mut self, _: Standing<'_>, reason: &str) {
        panic!("{reason}");
    }
    fn phase_started(&mut self, _: Standing<'_>, _: Phase) {}
    fn phase_finished(&mut self, _: Standing<'_>, record: &PhaseRecord) {
        assert_eq!(record.status, Status::Ok, "{:?}", record.reason);
    }
    fn run_finished(&mut self) {}
    fn left_behind(&mut self, what: &str) {
        panic!("left {what}");
    }
}

fn count_a_run(changes: &[(&str, &str)]) {
    let directory = tempfile::tempdir().expect("a directory");
    let changes: Vec<_> = changes.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let profile = Profile::named("quick", 0).expect("a profile").changed(&changes, 0).expect("good keys");
    let plan = Plan::of(&profile, GENERATOR, Circumstances::WITHOUT_DROPS).expect("a plan");
    let open = open_directory_path(directory.path()).expect("the directory");
    let ground = PlainGround::of(open, directory.path().to_owned(), Site::of_class(FilesystemClass::Block));
    let mut places = [Place::of("a".to_owned(), Box::new(ground))];
    let batch = Batch { identity: Identity(1), plan, rounds: 1, tags: BTreeMap::new(), machine: Machine::default() };
    // Room for every reading, those of the watches for a quiet machine too, so that noting one allocates nothing.
    let meter = CountingMeter { meter: ProcessMeter::open(), counts: Mutex::new(Vec::with_capacity(1 << 16)) };
    let mut keep = |_: RunRecord| {};
    let mut listeners = Listeners { observer: &mut Deaf, keep: &mut keep };
    run_batch(&batch, &mut places, &meter, &AtomicBool::new(false), &mut listeners).expect("a run");
    let counts = meter.counts.lock().expect("no panic");
    // The end of a phase is read by its last worker, and the start just before that by the main thread.
    let main = std::thread::current().id();
    let timed: Vec<(u64, u64)> = counts.windows(2).filter(|pair| pair[1].0 != main).map(|pair| (pair[0].1, pair[1].1)).collect();
    assert_eq!(timed.len(), Phase::STANDARD.len());
    for (phase, (start, end)) in Phase::STANDARD.iter().zip(&timed) {
        assert_eq!(start, end, "{} allocates while it is timed", phase.name());
    }
    assert!(timed[0].0 > 0 && timed[timed.len() - 1].0 > timed[0].0, "the allocator counts");
}

/// Runs alone in a process of its own, since other tests allocate beside it.
#[test]
#[ignore = "needs a process of its own: started by nothing_allocates_while_a_phase_is_timed"]
fn alone_in_its_process() {
    if !is_alone() {
        return;
    }
    let small =
        [("file_size", "4m"), ("chunk_size", "64k"), ("seeks", "2000"), ("seek_size", "4k"), ("seek_seconds", "0"), ("files", "3000")];
    count_a_run(&small);
    let wide =
        [("workers", "3"), ("seekers", "2"), ("dirs", "4"), ("min_size", "100"), ("max_size", "9000"), ("seek_rewrite_percent", "20")];
    count_a_run(&[&small[..], &wide[..]].concat());
    let mixed = [("compressible", "30"), ("dedupe", "40")];
    count_a_run(&[&small[..], &wide[..], &mixed[..]].concat());
}

/// Whether this process was started by [`run_alone`].
pub fn is_alone() -> bool {
    std::env::var_os("BARROW_ALONE").is_some()
}

/// Runs one ignored test in a process of its own, and repeats what it said where it failed.
pub fn run_alone(name: &str) -> String {
    let this = std::env::current_exe().expect("the test binary");
    let arguments = ["--exact", name, "--ignored", "--nocapture", "--test-threads=1"];
    let done = Command::new(this).args(arguments).env("BARROW_ALONE", "1").output().expect("the test binary runs");
    let words = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success() && words.contains("1 passed"), "{words}");
    words
}

#[test]
fn nothing_allocates_while_a_phase_is_timed() {
    run_alone("allocation::alone_in_its_process");
}

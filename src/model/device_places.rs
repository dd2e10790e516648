//! Where on a device each of its phases reads: at its start, in its middle, at its end, or at places from the first byte to the last.

use super::phase::{Group, Phase};
use super::settings::Settings;
use super::slices::MOST_SLICES;
use std::ops::Range;

/// Bytes that a device must have, so that no two places of a phase overlap and start, middle and end are apart.
#[must_use]
pub fn least_bytes(settings: &Settings) -> u64 {
    settings.place_size.saturating_mul(3).max(settings.sweep_places.saturating_mul(settings.sweep_size))
}

/// The bytes that a phase reads on a device of this size, place by place, each from a multiple of `chunk_size` on; none where it reads
/// no device, or one that is too small.
#[must_use]
pub fn places(phase: Phase, settings: &Settings, device_bytes: u64) -> Vec<Range<u64>> {
    // Settings of a run file may be anything.
    let is_swept_so = settings.sweep_places <= MOST_SLICES as u64 && settings.sweep_size > 0;
    let is_fit = settings.chunk_size > 0 && device_bytes >= least_bytes(settings) && (phase != Phase::DeviceSweep || is_swept_so);
    if phase.row().group != Group::Device || !is_fit {
        return Vec::new();
    }
    // The last place ends at the last whole chunk, and the others lie evenly before it.
    let place = |number: u64, last: u64, size: u64| {
        let farthest = u128::from((device_bytes - size) / settings.chunk_size);
        let chunk = farthest * u128::from(number) / u128::from(last);
        let start = u64::try_from(chunk).unwrap_or(0) * settings.chunk_size;
        start..start + size
    };
    match phase {
        Phase::DeviceStart | Phase::DirectStart => vec![place(0, 2, settings.place_size)],
        Phase::DeviceMiddle | Phase::DirectMiddle => vec![place(1, 2, settings.place_size)],
        Phase::DeviceEnd | Phase::DirectEnd => vec![place(2, 2, settings.place_size)],
        _ => {
            let last = settings.sweep_places.saturating_sub(1).max(1);
            (0..settings.sweep_places).map(|number| place(number, last, settings.sweep_size)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::settings::Settings;
    use proptest::prelude::*;

    const MIB: u64 = 1 << 20;

    fn settings(place_mib: u64, sweep_places: u64, sweep_mib: u64) -> Settings {
        Settings { place_size: place_mib * MIB, sweep_places, sweep_size: sweep_mib * MIB, ..Settings::default() }
    }

    #[test]
    fn start_middle_and_end_are_where_they_are_called() {
        let of = |phase| places(phase, &settings(10, 0, 0), 100 * MIB + 5);
        for (buffered, direct, from) in [
            (Phase::DeviceStart, Phase::DirectStart, 0),
            (Phase::DeviceMiddle, Phase::DirectMiddle, 45),
            (Phase::DeviceEnd, Phase::DirectEnd, 90),
        ] {
            assert_eq!((of(buffered).len(), of(buffered)[0].clone()), (1, from * MIB..(from + 10) * MIB));
            assert_eq!(of(direct), of(buffered));
        }
        assert!(places(Phase::BlockRead, &settings(10, 0, 0), 100 * MIB).is_empty());
    }

    #[test]
    fn what_does_not_fit_has_no_places() {
        assert_eq!(least_bytes(&settings(10, 4, 8)), 32 * MIB);
        assert_eq!(places(Phase::DeviceSweep, &settings(10, 4, 8), 32 * MIB).len(), 4);
        assert!(places(Phase::DeviceSweep, &settings(10, 4, 8), 32 * MIB - 1).is_empty());
        assert!(places(Phase::DeviceEnd, &settings(11, 4, 8), 32 * MIB).is_empty());
        for odd in [settings(0, u64::MAX, 0), settings(0, 65, 1), Settings { chunk_size: 0, ..settings(1, 4, 1) }] {
            assert!(places(Phase::DeviceSweep, &odd, u64::MAX).is_empty(), "{odd:?}");
        }
    }

    proptest! {
        #[test]
        fn a_sweep_goes_from_the_first_chunk_to_the_last_and_overlaps_nowhere(
            count in 2_u64..=64, mib in 1_u64..20, more in 0_u64..(1 << 45)
        ) {
            let settings = settings(0, count, mib);
            let bytes = least_bytes(&settings) + more;
            let places = places(Phase::DeviceSweep, &settings, bytes);
            prop_assert_eq!(places.len() as u64, count);
            prop_assert_eq!(places[0].start, 0);
            prop_assert!(places.iter().all(|place| place.start % MIB == 0 && place.end - place.start == mib * MIB));
            prop_assert!(places.windows(2).all(|pair| pair[0].end <= pair[1].start));
            let end = places[places.len() - 1].end;
            prop_assert!(end <= bytes && bytes - end < MIB);
        }
    }
}

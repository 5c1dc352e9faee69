//! Choice among several devices, and names of cards.

use crate::report::model::CardReport;

/// The architecture that the kernels are for.
const WANTED: &str = "gfx906";

/// A device that the runtime shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisibleDevice {
    /// Its name.
    pub name: String,
    /// Its architecture, with features; empty if the runtime does not tell it.
    pub architecture: String,
}

impl VisibleDevice {
    fn fits(&self) -> bool {
        self.architecture.split(':').next() == Some(WANTED)
    }

    fn words(&self) -> String {
        let or = |text: &str, otherwise: &str| match text {
            "" => otherwise.to_string(),
            text => text.to_string(),
        };
        let (name, architecture) = (
            or(&self.name, "without a name"),
            or(&self.architecture, "architecture unknown"),
        );
        format!("{name} ({architecture})")
    }
}

/// The remedy for cards of other architectures.
const REMEDY: &str =
    "set HSA_OVERRIDE_GFX_VERSION=9.0.6 to try it anyway, or run with `--device emulator`";

/// A reason why no device is picked.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum PickError {
    #[error("the kernels are for {WANTED} and no device is one: there is {all}; {REMEDY}")]
    NoneFits { all: String },
    #[error("the kernels are for {WANTED} and device {index} is {device}: {REMEDY}")]
    OtherArchitecture { index: u32, device: String },
    #[error(
        "there is no device {index}: the HIP runtime shows {count}, counted from 0; HIP_VISIBLE_DEVICES may hide others"
    )]
    NoDevice { index: u32, count: usize },
}

/// Picks the device of this number, or the first of the right architecture. With `overridden`, any architecture is accepted.
pub fn pick(
    found: &[VisibleDevice],
    wanted: Option<u32>,
    overridden: bool,
) -> Result<u32, PickError> {
    let Some(index) = wanted else {
        let fits = found.iter().position(VisibleDevice::fits);
        if let Some(index) = fits.or(overridden.then_some(0)) {
            return Ok(index as u32);
        }
        let all: Vec<String> = found.iter().map(VisibleDevice::words).collect();
        let all = all.join(", ");
        return Err(PickError::NoneFits { all });
    };
    match found.get(index as usize) {
        Some(device) if device.fits() || overridden => Ok(index),
        Some(device) => Err(PickError::OtherArchitecture {
            index,
            device: device.words(),
        }),
        None => Err(PickError::NoDevice {
            index,
            count: found.len(),
        }),
    }
}

/// Finds the name of an architecture in the bytes of a struct: `gfx906:sramecc+:xnack-`.
pub fn architecture(properties: &[u8]) -> Option<String> {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b":+-".contains(byte);
    properties.split(|&byte| byte == 0).find_map(|text| {
        let at = text.windows(3).position(|three| three == b"gfx")?;
        let text: Vec<u8> = text[at..].iter().copied().take_while(plain).collect();
        let number = text.get(3).is_some_and(u8::is_ascii_digit);
        String::from_utf8(text).ok().filter(|_| number)
    })
}

/// Describes a card in a line.
pub fn describe(card: &CardReport) -> String {
    let found = VisibleDevice {
        name: card.name.clone(),
        architecture: card.architecture.clone(),
    };
    let mut words = vec![format!("{}, HIP device {}", found.words(), card.index)];
    words.extend(card.compute_units.map(|units| format!("{units} CUs")));
    words.extend(
        card.memory
            .map(|bytes| format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30))),
    );
    words.extend(
        card.runtime
            .map(|number| format!("HIP runtime {}", version(number))),
    );
    words.extend(
        card.driver
            .map(|number| format!("driver {}", version(number))),
    );
    words.extend(card.environment.iter().cloned());
    words.join(", ")
}

/// Formats a version that AMD's runtime has packed into a number: 50221153 is 5.2.21153.
fn version(number: u32) -> String {
    let (major, minor, patch) = (
        number / 10_000_000,
        number / 100_000 % 100,
        number % 100_000,
    );
    if major == 0 {
        return number.to_string();
    }
    format!("{major}.{minor}.{patch}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(architectures: &[&str]) -> Vec<VisibleDevice> {
        let device = |architecture: &&str| VisibleDevice {
            name: "A".into(),
            architecture: (*architecture).into(),
        };
        architectures.iter().map(device).collect()
    }

    #[test]
    fn the_first_that_fits_or_the_one_asked_for() {
        let two = found(&["gfx1030", "gfx906:sramecc+:xnack-", "gfx906"]);
        assert_eq!(pick(&two, None, false), Ok(1));
        assert_eq!(pick(&two, Some(2), false), Ok(2));
        assert_eq!(pick(&two, Some(0), true), Ok(0));
        let refused = pick(&two, Some(0), false)
            .expect_err("not a gfx906")
            .to_string();
        assert!(refused.contains("device 0 is A (gfx1030)"), "{refused}");
        let none = pick(&two, Some(3), true)
            .expect_err("there are three")
            .to_string();
        assert!(
            none.contains("no device 3") && none.contains("shows 3"),
            "{none}"
        );
        let others = found(&["gfx9061", "", "gfx90a"]);
        let refused = pick(&others, None, false)
            .expect_err("none is one")
            .to_string();
        assert!(
            refused.contains("A (gfx9061), A (architecture unknown), A (gfx90a)"),
            "{refused}"
        );
        assert_eq!(pick(&others, None, true), Ok(0));
    }

    #[test]
    fn the_architecture_is_found_wherever_it_stands() {
        for at in [0, 1, 396, 1160, 7000] {
            let mut bytes = vec![0u8; 8192];
            bytes[..9].copy_from_slice(b"AMD MI50\0");
            let text = b"gfx906:sramecc+:xnack-\0";
            bytes[at..at + text.len()].copy_from_slice(text);
            assert_eq!(
                architecture(&bytes).as_deref(),
                Some("gfx906:sramecc+:xnack-"),
                "{at}"
            );
        }
        assert_eq!(architecture(&[0; 64]), None);
        assert_eq!(architecture(b"gfx\0gfxx\0ROG gfx90"), Some("gfx90".into()));
        assert_eq!(architecture(b""), None);
    }

    #[test]
    fn a_card_is_a_line_of_what_is_known() {
        let mut card = CardReport {
            index: 1,
            name: "AMD Instinct MI50".into(),
            architecture: "gfx906:sramecc+:xnack-".into(),
            compute_units: Some(60),
            memory: Some(16 << 30),
            runtime: Some(50_221_153),
            driver: Some(4),
            environment: vec!["HSA_OVERRIDE_GFX_VERSION=9.0.6".into()],
        };
        assert_eq!(
            describe(&card),
            "AMD Instinct MI50 (gfx906:sramecc+:xnack-), HIP device 1, 60 CUs, 16.0 GiB, HIP runtime 5.2.21153, \
             driver 4, HSA_OVERRIDE_GFX_VERSION=9.0.6"
        );
        card.name.clear();
        (card.compute_units, card.memory, card.runtime, card.driver) = (None, None, None, None);
        card.environment.clear();
        assert_eq!(
            describe(&card),
            "without a name (gfx906:sramecc+:xnack-), HIP device 1"
        );
    }
}

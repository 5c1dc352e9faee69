//! The flags that say where kernels run.

use clap::{Args, ValueEnum, value_parser};

use crate::device::{self, Target};
use crate::exit::Stop;
use crate::trial::{CHILD, default_jobs};

/// Where kernels can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DeviceChoice {
    /// The emulator: a card is taken where it is named
    Auto,
    /// The in-process gfx906 emulator
    Emulator,
    /// A real card through the HIP runtime
    Hip,
}

/// The flags that name a device.
#[derive(Debug, Clone, Args)]
pub struct TargetArgs {
    /// Where the kernels run
    #[arg(long, value_enum, default_value_t = DeviceChoice::Auto)]
    pub device: DeviceChoice,

    /// With --device hip: the number of the card among those that the HIP runtime shows [default: the first gfx906]
    #[arg(long, value_name = "N")]
    pub hip_device: Option<u32>,
}

impl TargetArgs {
    /// The device that they name.
    ///
    /// # Errors
    /// They do not go together.
    pub fn target(&self) -> Result<Target, Stop> {
        if self.hip_device.is_some() && !self.on_card() {
            return Err(Stop::usage(
                "`--hip-device` names a card: add `--device hip`",
            ));
        }
        Ok(match self.device {
            DeviceChoice::Hip => Target::Hip(self.hip_device),
            DeviceChoice::Auto | DeviceChoice::Emulator => Target::Emulator,
        })
    }

    fn on_card(&self) -> bool {
        self.device == DeviceChoice::Hip
    }

    /// The flags as one would type them again.
    pub(super) fn again(&self) -> String {
        let mut flags = String::new();
        if self.on_card() {
            flags.push_str(" --device hip");
        }
        if let Some(index) = self.hip_device {
            flags.push_str(&format!(" --hip-device {index}"));
        }
        flags
    }
}

/// The flags that say where kernels run, and how trials do there.
#[derive(Debug, Clone, Args)]
pub struct DeviceArgs {
    /// Where kernels run.
    #[command(flatten)]
    pub target: TargetArgs,

    /// With --device hip: run the tests in this process; a test that faults or hangs the card then ends the whole run
    #[arg(long)]
    pub no_isolate: bool,

    /// With --device hip: seconds after which a test's process is stopped, and the test counts as hung
    #[arg(long, value_name = "SECONDS", default_value_t = TIMEOUT, value_parser = value_parser!(u32).range(1..))]
    pub timeout: u32,

    /// Give each test a process of its own on the emulator as well: how that is tested where there is no card.
    #[arg(long, hide = true, conflicts_with = "no_isolate")]
    pub isolate: bool,
}

/// Seconds a test may take in a process of its own, if nobody says.
const TIMEOUT: u32 = 60;

impl DeviceArgs {
    /// The device that they ask for.
    ///
    /// # Errors
    /// They do not go together.
    pub fn spec(&self) -> Result<device::Spec, Stop> {
        let target = self.target.target()?;
        let isolated = !self.no_isolate && (self.target.on_card() || self.isolate);
        Ok(device::Spec {
            target,
            child: isolated.then(|| device::Child {
                args: vec![CHILD.into()],
                seconds: self.timeout,
            }),
        })
    }

    /// How many trials run at once: one on a card, which they would only share, if nobody says.
    pub fn jobs(&self, asked: Option<u16>) -> usize {
        match asked {
            Some(jobs) => jobs.into(),
            None if self.target.on_card() => 1,
            None => default_jobs(),
        }
    }
}

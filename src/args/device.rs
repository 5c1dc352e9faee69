//! The flags that choose the device.

use clap::{Args, ValueEnum, value_parser};

use super::pair;
use crate::device::{self, Target};
use crate::exit::Stop;
use crate::trial::{CHILD, default_jobs};

/// Device on which kernels can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DeviceChoice {
    /// The emulator; a card runs kernels only if it is named
    Auto,
    /// The in-process gfx906 emulator
    Emulator,
    /// A real card through the HIP runtime
    Hip,
}

/// The flags that name a device.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct TargetArgs {
    /// Device that runs the kernels
    #[arg(long, value_enum, default_value_t = DeviceChoice::Auto)]
    pub device: DeviceChoice,

    /// Number of the card among the cards that the HIP runtime shows; needs --device hip [default: the
    /// first gfx906]
    #[arg(long, value_name = "N")]
    pub hip_device: Option<u32>,
}

impl TargetArgs {
    /// Returns the device that the flags name.
    ///
    /// # Errors
    /// The flags do not go together.
    pub fn target(&self) -> Result<Target, Stop> {
        if self.hip_device.is_some() && !self.is_card() {
            return Err(Stop::usage(
                "`--hip-device` names a card: add `--device hip`",
            ));
        }
        Ok(match self.device {
            DeviceChoice::Hip => Target::Hip(self.hip_device),
            DeviceChoice::Auto | DeviceChoice::Emulator => Target::Emulator,
        })
    }

    fn is_card(&self) -> bool {
        self.device == DeviceChoice::Hip
    }

    /// Returns the flags as the words of a command line.
    pub(super) fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if self.is_card() {
            words.extend(pair("--device", &"hip"));
        }
        words.extend(
            self.hip_device
                .iter()
                .flat_map(|index| pair("--hip-device", index)),
        );
        words
    }

    /// Returns true if the command line names a device.
    pub(super) fn is_named(&self) -> bool {
        self.device != DeviceChoice::Auto || self.hip_device.is_some()
    }
}

/// The flags that choose the device, and the isolation of its tests.
#[derive(Debug, Clone, Args)]
pub struct DeviceArgs {
    /// Flags that choose the device.
    #[command(flatten)]
    pub target: TargetArgs,

    /// Run the tests of --device hip in this process; a test that faults or hangs the card then ends the
    /// whole run
    #[arg(long)]
    pub no_isolate: bool,

    /// Seconds after which the process of a test of --device hip is stopped, and the test counts as hung
    /// [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = value_parser!(u32).range(1..))]
    pub timeout: Option<u32>,

    /// Give each test a process of its own on the emulator as well, so that isolation can be tested
    /// without a card.
    #[arg(long, hide = true, conflicts_with = "no_isolate")]
    pub isolate: bool,
}

/// Default of `--timeout`, in seconds.
const TIMEOUT: u32 = 60;

impl DeviceArgs {
    /// The emulator, in this process.
    pub const EMULATOR: DeviceArgs = DeviceArgs {
        target: TargetArgs {
            device: DeviceChoice::Emulator,
            hip_device: None,
        },
        no_isolate: false,
        timeout: None,
        isolate: false,
    };

    /// Returns the device that the flags name, with the isolation of its tests.
    ///
    /// # Errors
    /// The flags do not go together.
    pub fn spec(&self) -> Result<device::Spec, Stop> {
        let target = self.target.target()?;
        let isolated = !self.no_isolate && (self.target.is_card() || self.isolate);
        Ok(device::Spec {
            target,
            child: isolated.then(|| device::Child {
                args: vec![CHILD.into()],
                seconds: self.timeout.unwrap_or(TIMEOUT),
            }),
        })
    }

    /// Returns the flags as the words of a command line.
    pub fn words(&self) -> Vec<String> {
        let DeviceArgs {
            target,
            no_isolate,
            timeout,
            isolate,
        } = self;
        let mut words = target.words();
        words.extend(
            timeout
                .iter()
                .flat_map(|seconds| pair("--timeout", seconds)),
        );
        words.extend(no_isolate.then(|| "--no-isolate".to_owned()));
        words.extend(isolate.then(|| "--isolate".to_owned()));
        words
    }

    /// Returns the number of trials that run at the same time. Its default is one on a card, because
    /// more would only share the card.
    pub fn jobs(&self, jobs: Option<u16>) -> usize {
        match jobs {
            Some(jobs) => jobs.into(),
            None if self.target.is_card() => 1,
            None => default_jobs(),
        }
    }
}

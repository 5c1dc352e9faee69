//! `calibrate`: the constants of the model, measured on a card.

use std::io::{IsTerminal, Write as _, stderr};
use std::time::SystemTime;

use crate::args::{CalibrateArgs, DeviceChoice};
use crate::device::{DeviceError, Limits, NOTHING, Spec};
use crate::exit::{Exit, Stop};
use crate::files::{check_place, write_atomically};
use crate::profile;
use crate::text::{print, shown};

/// Runs the command.
///
/// # Errors
/// There is no card, the card fails, or the file cannot be written.
pub fn run(args: &CalibrateArgs) -> Result<Exit, Stop> {
    if args.target.device != DeviceChoice::Hip {
        return Err(Stop::usage(
            "`calibrate` measures a card: add `--device hip`; the constants of the program's own card are `deltanet-check profile --constants`",
        ));
    }
    if let Some(path) = &args.out {
        check_place(path).map_err(Stop::setup)?;
    }
    let spec = Spec {
        target: args.target.target()?,
        child: None,
    };
    let card = spec.open()?;
    let device = card.describe();
    let failed = |error: DeviceError| Stop::setup(format!("{}: {error}", device.description));
    let mut session = card.open(0, Limits::default(), &NOTHING).map_err(failed)?;
    let is_watched = stderr().is_terminal();
    let calibration = profile::calibrate(&mut *session, |name| {
        if is_watched {
            let _ = writeln!(stderr(), "measuring: {name}");
        }
    });
    let calibration = calibration.map_err(failed)?;
    print(&format!(
        "measured on {}; `model` has the constants of the program (docs/profile.md)\n\n{}",
        device.description,
        calibration.text()
    ))?;
    if let Some(path) = &args.out {
        let about = format!(
            "Constants of {}, by `deltanet-check calibrate` at {}.",
            device.description,
            humantime::format_rfc3339_seconds(SystemTime::now())
        );
        write_atomically(path, calibration.card_text(&about).as_bytes()).map_err(Stop::setup)?;
        print(&format!(
            "\n`deltanet-check profile --card {}` takes them\n",
            shown(path)
        ))?;
    }
    Ok(Exit::Passed)
}

//! The factors alpha and beta. The handle's settings say whether they are on the host or on the device.

use half::f16;

use crate::handle::HandleSettings;
use crate::hip::{Address, host_value};
use crate::kinds::ElementType;
use crate::status::{BlasResult, Status};

/// Factor in the form that kernels take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factor {
    /// Address on the device, or 0 for a factor on the host.
    pub at: Address,
    /// Value of a factor on the host.
    pub value: f64,
}

impl Factor {
    /// Factor 1.
    pub const ONE: Factor = Factor { at: 0, value: 1.0 };

    /// Reads the caller's factor.
    pub fn read(settings: &HandleSettings, at: Address, kind: ElementType) -> BlasResult<Factor> {
        if at == 0 {
            return Err(Status::InvalidValue);
        }
        if settings.on_device {
            return Ok(Factor { at, value: 0.0 });
        }
        let value = match kind {
            ElementType::F16 => f16::from_bits(host_value(at)?).to_f64(),
            ElementType::F32 => host_value::<f32>(at)?.into(),
            ElementType::F64 => host_value(at)?,
            ElementType::Bf16 => return Err(Status::NotSupported),
        };
        Ok(Factor { at: 0, value })
    }
}

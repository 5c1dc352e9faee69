//! Objects of the program's that graphs hold references to: the last reference calls their destructor.

use crate::boundary::Address;
use crate::error::{HipError, Outcome};
use crate::handles::{Handles, Tag};
use crate::objects::work::HostFunction;

/// An object of the program's.
struct User {
    references: u64,
    destroy: HostFunction,
    object: Address,
}

/// A destructor and its object, to be called with no lock held.
pub type Gone = (HostFunction, Address);

/// Every such object.
pub struct Users(Handles<User>);

impl Users {
    /// None yet.
    pub fn new() -> Users {
        Users(Handles::new(Tag::User))
    }

    /// A new one, with so many references.
    pub fn create(&mut self, object: Address, destroy: HostFunction, references: u32) -> Address {
        self.0.insert(User {
            references: references.into(),
            destroy,
            object,
        })
    }

    /// Adds references.
    pub fn retain(&mut self, user: Address, count: u32) -> Outcome {
        let user = self.0.get_mut(user).ok_or(HipError::InvalidValue)?;
        user.references += u64::from(count);
        Ok(())
    }

    /// Takes references away; what is to be called after the last.
    pub fn release(&mut self, user: Address, count: u32) -> Outcome<Option<Gone>> {
        let found = self.0.get_mut(user).ok_or(HipError::InvalidValue)?;
        let left = found.references.checked_sub(count.into());
        found.references = left.ok_or(HipError::InvalidValue)?;
        if found.references > 0 {
            return Ok(None);
        }
        let gone = self.0.remove(user);
        Ok(gone.map(|user| (user.destroy, user.object)))
    }

    /// Takes away the references that a graph held; what is to be called.
    pub fn release_all(&mut self, held: Vec<(Address, u32)>) -> Vec<Gone> {
        let release = |(user, count)| self.release(user, count).ok().flatten();
        held.into_iter().filter_map(release).collect()
    }
}

//! User objects of the program that graphs hold references to. The last reference calls an object's destructor.

use crate::boundary::Address;
use crate::error::{HipError, HipResult};
use crate::handles::{Handles, Tag};
use crate::objects::work::HostFunction;

/// User object.
struct User {
    references: u64,
    destroy: HostFunction,
    object: Address,
}

/// Destructor and its object. It is called with no lock held.
pub type UserDestructor = (HostFunction, Address);

/// Table of all user objects.
pub struct Users(Handles<User>);

impl Users {
    /// Returns an empty table.
    pub fn new() -> Users {
        Users(Handles::new(Tag::User))
    }

    /// Adds an object with a number of references.
    pub fn create(&mut self, object: Address, destroy: HostFunction, references: u32) -> Address {
        self.0.insert(User {
            references: references.into(),
            destroy,
            object,
        })
    }

    /// Adds references.
    pub fn retain(&mut self, user: Address, count: u32) -> HipResult {
        let user = self.0.get_mut(user).ok_or(HipError::InvalidValue)?;
        user.references += u64::from(count);
        Ok(())
    }

    /// Releases references. Returns the destructor after the last reference. As in HIP, a release of more references than there are does nothing.
    pub fn release(&mut self, user: Address, count: u32) -> HipResult<Option<UserDestructor>> {
        let object = self.0.get_mut(user).ok_or(HipError::InvalidValue)?;
        let Some(left) = object.references.checked_sub(count.into()) else {
            return Ok(None);
        };
        object.references = left;
        if object.references > 0 {
            return Ok(None);
        }
        let removed = self.0.remove(user);
        Ok(removed.map(|user| (user.destroy, user.object)))
    }

    /// Releases the references of a graph. Returns the destructors to call.
    pub fn release_all(&mut self, held: Vec<(Address, u32)>) -> Vec<UserDestructor> {
        let release = |(user, count)| self.release(user, count).ok().flatten();
        held.into_iter().filter_map(release).collect()
    }
}

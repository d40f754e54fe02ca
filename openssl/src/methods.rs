//! OpenSSL's own methods for RSA and for keys of curves, whose functions are replaced in place.
//!
//! A key whose method is another one, even a copy of OpenSSL's, is foreign to OpenSSL: `EVP_PKEY_dup` refuses to copy
//! it, and keys of the old interfaces do not reach the providers. So keys keep their method, and its functions change.
//! Where OpenSSL declares the structures as constants, the loader has made their memory read-only (RELRO); it is made
//! writable for the moment of writing.

use core::ffi::{c_int, c_void};
use core::ops::Range;
use core::slice;
use std::sync::atomic::{Ordering, fence};

use crate::ffi;

/// No structure of a method is longer, in bytes: those of OpenSSL 3.0 to 4.0 have 120.
const MOST_BYTES: usize = 256;

/// OpenSSL's functions before they are replaced.
pub(crate) struct Functions {
    pub(crate) mod_exp: ffi::ModExp,
    pub(crate) private_encrypt: ffi::PrivateOperation,
    pub(crate) private_decrypt: ffi::PrivateOperation,
    pub(crate) sign_sig: ffi::SignSig,
}

impl Functions {
    /// The functions of OpenSSL's own methods; `None` if one is missing.
    pub(crate) fn get() -> Option<Self> {
        // SAFETY: OpenSSL's methods are constants, or are written by this module only, before which nobody calls this.
        unsafe {
            let rsa = ffi::RSA_PKCS1_OpenSSL();
            let (mut sign, mut setup, mut sign_sig) = (None, None, None);
            ffi::EC_KEY_METHOD_get_sign(
                ffi::EC_KEY_OpenSSL(),
                &raw mut sign,
                &raw mut setup,
                &raw mut sign_sig,
            );
            Some(Self {
                mod_exp: ffi::RSA_meth_get_mod_exp(rsa)?,
                private_encrypt: ffi::RSA_meth_get_priv_enc(rsa)?,
                private_decrypt: ffi::RSA_meth_get_priv_dec(rsa)?,
                sign_sig: sign_sig?,
            })
        }
    }
}

/// OpenSSL's methods, those of them that can be written to. Memory that was read-only is so again when this is dropped.
pub(crate) struct Methods {
    rsa: Option<Writable>,
    ec: Option<Writable>,
}

impl Methods {
    /// Makes the methods writable; also says which ones are not.
    pub(crate) fn open() -> (Self, Vec<&'static str>) {
        // SAFETY: the functions take nothing.
        let (rsa, ec) = unsafe { (ffi::RSA_PKCS1_OpenSSL(), ffi::EC_KEY_OpenSSL()) };
        let methods = Self {
            rsa: Writable::open(rsa.cast()),
            ec: Writable::open(ec.cast()),
        };
        let mut refused = Vec::new();
        if methods.rsa.is_none() {
            refused.push("RSA");
        }
        if methods.ec.is_none() {
            refused.push("ECDSA");
        }
        (methods, refused)
    }

    /// Replaces the functions of the methods that can be written to. Other threads may already use these: each finds
    /// the old functions or the new ones, and both do.
    pub(crate) fn set(&self, new: &Functions) {
        // Who finds a new function finds what it uses.
        fence(Ordering::SeqCst);
        // SAFETY: the structures can be written to, and live as long as OpenSSL, which the module keeps in memory. Each
        // write is that of an aligned address, which other threads read whole.
        unsafe {
            if self.rsa.is_some() {
                let rsa = ffi::RSA_PKCS1_OpenSSL().cast_mut();
                ffi::RSA_meth_set_mod_exp(rsa, new.mod_exp);
                ffi::RSA_meth_set_priv_enc(rsa, new.private_encrypt);
                ffi::RSA_meth_set_priv_dec(rsa, new.private_decrypt);
            }
            if self.ec.is_some() {
                let ec = ffi::EC_KEY_OpenSSL().cast_mut();
                let (mut sign, mut setup, mut usual) = (None, None, None);
                ffi::EC_KEY_METHOD_get_sign(ec, &raw mut sign, &raw mut setup, &raw mut usual);
                ffi::EC_KEY_METHOD_set_sign(ec, sign, setup, Some(new.sign_sig));
            }
        }
    }
}

/// A structure that can be written to as long as this lives.
struct Writable {
    /// The pages that are made read-only again; none if there are none.
    pages: Range<usize>,
}

impl Writable {
    /// Makes the structure at this address writable; `None` if that is refused.
    fn open(structure: *const c_void) -> Option<Self> {
        // SAFETY: the function takes a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
        let mut search = Search {
            address: structure.addr(),
            page,
            found: None,
        };
        // SAFETY: the function is one for this purpose, and gets the search back, which outlives the call.
        unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
        let pages = search.found?;
        protect(&pages, libc::PROT_READ | libc::PROT_WRITE).then_some(Self { pages })
    }
}

impl Drop for Writable {
    fn drop(&mut self) {
        // Should it be refused, the memory stays writable, as it is in OpenSSL 3.0 for RSA.
        protect(&self.pages, libc::PROT_READ);
    }
}

/// Has these pages of a loaded file protected as said. Whether that was done.
fn protect(pages: &Range<usize>, protection: c_int) -> bool {
    let start = core::ptr::with_exposed_provenance_mut(pages.start);
    // SAFETY: the pages are of a loaded file's part that the loader itself protects in this way, after it has written
    // to it: they hold its addresses and no code. Readers notice nothing, as they can be read all the time.
    pages.is_empty() || unsafe { libc::mprotect(start, pages.len(), protection) } == 0
}

/// The search for an address among the loaded files.
struct Search {
    address: usize,
    page: usize,
    /// The pages around the address that the loader has made read-only, if the address is in memory that is written
    /// to.
    found: Option<Range<usize>>,
}

/// Looks for the address in a loaded file: 1 if it is there.
unsafe extern "C" fn look(file: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
    // SAFETY: the loader describes a loaded file, whose headers live meanwhile, and passes on what it was given.
    let (base, headers, search) = unsafe {
        let file = &*file;
        let count = usize::from(file.dlpi_phnum);
        let headers = slice::from_raw_parts(file.dlpi_phdr, count);
        (
            file.dlpi_addr as usize,
            headers,
            &mut *search.cast::<Search>(),
        )
    };
    let part = |header: &libc::Elf64_Phdr| {
        let start = base.wrapping_add(header.p_vaddr as usize);
        start..start.wrapping_add(header.p_memsz as usize)
    };
    let mut parts = headers
        .iter()
        .filter(|header| header.p_type == libc::PT_LOAD);
    let Some(own) = parts.find(|&header| part(header).contains(&search.address)) else {
        return 0;
    };
    // What is never written to may be shared with other files.
    if own.p_flags & libc::PF_W != 0 && own.p_flags & libc::PF_X == 0 {
        let down = |address: usize| address & !(search.page - 1);
        let constant = headers
            .iter()
            .find(|header| header.p_type == libc::PT_GNU_RELRO);
        let constant = constant.map_or(0..0, part);
        // The loader leaves a page alone that has other data, too.
        let end = (search.address + MOST_BYTES).next_multiple_of(search.page);
        let start = down(search.address).max(down(constant.start));
        search.found = Some(start..end.min(down(constant.end)));
    }
    1
}

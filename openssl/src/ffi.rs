//! OpenSSL's functions, as its headers of 3.0 to 4.0 declare them.

#![allow(non_camel_case_types, clippy::upper_case_acronyms)]

use core::ffi::{c_char, c_int, c_long, c_uchar, c_uint, c_ulong, c_void};
use core::marker::{PhantomData, PhantomPinned};

/// Types that only OpenSSL looks into.
macro_rules! opaque {
    ($($name:ident)+) => {
        $(
            #[repr(C)]
            pub(crate) struct $name {
                _data: [u8; 0],
                _marker: PhantomData<(*mut u8, PhantomPinned)>,
            }
        )+
    };
}

opaque!(BIGNUM BN_CTX RSA RSA_METHOD EC_KEY EC_KEY_METHOD EC_GROUP ECDSA_SIG CRYPTO_EX_DATA);
opaque!(OSSL_CORE_HANDLE ASYNC_JOB ASYNC_WAIT_CTX);

/// An entry of a table of functions; the last one has the number 0.
#[repr(C)]
pub(crate) struct OSSL_DISPATCH {
    pub(crate) function_id: c_int,
    pub(crate) function: *const c_void,
}

// SAFETY: a constant number and a constant address.
unsafe impl Sync for OSSL_DISPATCH {}

/// A parameter; the last one of a list has no key.
#[repr(C)]
pub(crate) struct OSSL_PARAM {
    pub(crate) key: *const c_char,
    pub(crate) data_type: c_uint,
    pub(crate) data: *mut c_void,
    pub(crate) data_size: usize,
    pub(crate) return_size: usize,
}

pub(crate) const OSSL_FUNC_CORE_GET_PARAMS: c_int = 2;
pub(crate) const OSSL_FUNC_PROVIDER_TEARDOWN: c_int = 1024;
pub(crate) const OSSL_FUNC_PROVIDER_GETTABLE_PARAMS: c_int = 1025;
pub(crate) const OSSL_FUNC_PROVIDER_GET_PARAMS: c_int = 1026;
pub(crate) const OSSL_FUNC_PROVIDER_QUERY_OPERATION: c_int = 1027;
pub(crate) const OSSL_PARAM_INTEGER: c_uint = 1;
pub(crate) const OSSL_PARAM_UTF8_PTR: c_uint = 6;

pub(crate) const RSA_PKCS1_PADDING: c_int = 1;
pub(crate) const RSA_NO_PADDING: c_int = 3;

pub(crate) const CRYPTO_EX_INDEX_EC_KEY: c_int = 8;
pub(crate) const CRYPTO_EX_INDEX_RSA: c_int = 9;

pub(crate) type CoreGetParams =
    unsafe extern "C" fn(*const OSSL_CORE_HANDLE, *mut OSSL_PARAM) -> c_int;
pub(crate) type ModExp =
    unsafe extern "C" fn(*mut BIGNUM, *const BIGNUM, *mut RSA, *mut BN_CTX) -> c_int;
pub(crate) type PrivateOperation =
    unsafe extern "C" fn(c_int, *const c_uchar, *mut c_uchar, *mut RSA, c_int) -> c_int;
pub(crate) type Sign = unsafe extern "C" fn(
    c_int,
    *const c_uchar,
    c_int,
    *mut c_uchar,
    *mut c_uint,
    *const BIGNUM,
    *const BIGNUM,
    *mut EC_KEY,
) -> c_int;
pub(crate) type SignSetup =
    unsafe extern "C" fn(*mut EC_KEY, *mut BN_CTX, *mut *mut BIGNUM, *mut *mut BIGNUM) -> c_int;
pub(crate) type SignSig = unsafe extern "C" fn(
    *const c_uchar,
    c_int,
    *const BIGNUM,
    *const BIGNUM,
    *mut EC_KEY,
) -> *mut ECDSA_SIG;
pub(crate) type ExNew =
    unsafe extern "C" fn(*mut c_void, *mut c_void, *mut CRYPTO_EX_DATA, c_int, c_long, *mut c_void);
pub(crate) type ExDup = unsafe extern "C" fn(
    *mut CRYPTO_EX_DATA,
    *const CRYPTO_EX_DATA,
    *mut *mut c_void,
    c_int,
    c_long,
    *mut c_void,
) -> c_int;
pub(crate) type FdCleanup =
    unsafe extern "C" fn(*mut ASYNC_WAIT_CTX, *const c_void, c_int, *mut c_void);

unsafe extern "C" {
    pub(crate) fn OpenSSL_version_num() -> c_ulong;

    pub(crate) fn CRYPTO_get_ex_new_index(
        class: c_int,
        argl: c_long,
        argp: *mut c_void,
        new: Option<ExNew>,
        dup: Option<ExDup>,
        free: Option<ExNew>,
    ) -> c_int;
    pub(crate) fn CRYPTO_set_ex_data(ad: *mut CRYPTO_EX_DATA, i: c_int, v: *mut c_void) -> c_int;
    pub(crate) fn CRYPTO_get_ex_data(ad: *const CRYPTO_EX_DATA, i: c_int) -> *mut c_void;

    pub(crate) fn BN_num_bits(a: *const BIGNUM) -> c_int;
    pub(crate) fn BN_is_negative(a: *const BIGNUM) -> c_int;
    pub(crate) fn BN_bn2binpad(a: *const BIGNUM, to: *mut c_uchar, length: c_int) -> c_int;
    pub(crate) fn BN_bin2bn(s: *const c_uchar, length: c_int, ret: *mut BIGNUM) -> *mut BIGNUM;
    pub(crate) fn BN_clear_free(a: *mut BIGNUM);

    pub(crate) fn RSA_PKCS1_OpenSSL() -> *const RSA_METHOD;
    pub(crate) fn RSA_meth_get_mod_exp(meth: *const RSA_METHOD) -> Option<ModExp>;
    pub(crate) fn RSA_meth_set_mod_exp(meth: *mut RSA_METHOD, f: ModExp) -> c_int;
    pub(crate) fn RSA_meth_get_priv_enc(meth: *const RSA_METHOD) -> Option<PrivateOperation>;
    pub(crate) fn RSA_meth_set_priv_enc(meth: *mut RSA_METHOD, f: PrivateOperation) -> c_int;
    pub(crate) fn RSA_meth_get_priv_dec(meth: *const RSA_METHOD) -> Option<PrivateOperation>;
    pub(crate) fn RSA_meth_set_priv_dec(meth: *mut RSA_METHOD, f: PrivateOperation) -> c_int;
    pub(crate) fn RSA_padding_add_PKCS1_type_1(
        to: *mut c_uchar,
        size: c_int,
        from: *const c_uchar,
        length: c_int,
    ) -> c_int;
    pub(crate) fn RSA_get_ex_data(r: *const RSA, i: c_int) -> *mut c_void;
    pub(crate) fn RSA_get0_n(r: *const RSA) -> *const BIGNUM;
    pub(crate) fn RSA_get0_e(r: *const RSA) -> *const BIGNUM;
    pub(crate) fn RSA_get0_d(r: *const RSA) -> *const BIGNUM;
    pub(crate) fn RSA_get0_p(r: *const RSA) -> *const BIGNUM;
    pub(crate) fn RSA_get0_q(r: *const RSA) -> *const BIGNUM;
    pub(crate) fn RSA_get_multi_prime_extra_count(r: *const RSA) -> c_int;

    pub(crate) fn EC_KEY_OpenSSL() -> *const EC_KEY_METHOD;
    pub(crate) fn EC_KEY_METHOD_get_sign(
        meth: *const EC_KEY_METHOD,
        sign: *mut Option<Sign>,
        setup: *mut Option<SignSetup>,
        sig: *mut Option<SignSig>,
    );
    pub(crate) fn EC_KEY_METHOD_set_sign(
        meth: *mut EC_KEY_METHOD,
        sign: Option<Sign>,
        setup: Option<SignSetup>,
        sig: Option<SignSig>,
    );
    pub(crate) fn EC_KEY_get_ex_data(key: *const EC_KEY, i: c_int) -> *mut c_void;
    pub(crate) fn EC_KEY_get0_group(key: *const EC_KEY) -> *const EC_GROUP;
    pub(crate) fn EC_KEY_get0_private_key(key: *const EC_KEY) -> *const BIGNUM;
    pub(crate) fn EC_GROUP_get_curve_name(group: *const EC_GROUP) -> c_int;
    pub(crate) fn ECDSA_SIG_new() -> *mut ECDSA_SIG;
    pub(crate) fn ECDSA_SIG_set0(sig: *mut ECDSA_SIG, r: *mut BIGNUM, s: *mut BIGNUM) -> c_int;
    pub(crate) fn ECDSA_SIG_free(sig: *mut ECDSA_SIG);

    pub(crate) fn ASYNC_get_current_job() -> *mut ASYNC_JOB;
    pub(crate) fn ASYNC_get_wait_ctx(job: *mut ASYNC_JOB) -> *mut ASYNC_WAIT_CTX;
    pub(crate) fn ASYNC_pause_job() -> c_int;
    pub(crate) fn ASYNC_WAIT_CTX_get_fd(
        ctx: *mut ASYNC_WAIT_CTX,
        key: *const c_void,
        fd: *mut c_int,
        custom: *mut *mut c_void,
    ) -> c_int;
    pub(crate) fn ASYNC_WAIT_CTX_set_wait_fd(
        ctx: *mut ASYNC_WAIT_CTX,
        key: *const c_void,
        fd: c_int,
        custom: *mut c_void,
        cleanup: Option<FdCleanup>,
    ) -> c_int;
}

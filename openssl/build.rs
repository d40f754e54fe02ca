//! Links the module as OpenSSL loads it.

fn main() {
    // Threads may be inside when OpenSSL unloads its modules at exit: the code stays where it is.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    // `make openssl-module` names the folder of the libcrypto that the module is for. It is among the libraries that the
    // module needs, as a program may load it where no other module sees it (Python does). Without it the functions of
    // OpenSSL stay undefined, which is enough to compile.
    println!("cargo::rerun-if-env-changed=SUNZI_LIBCRYPTO");
    println!("cargo::rerun-if-env-changed=SUNZI_LIBCRYPTO_MAJOR");
    if let Ok(folder) = std::env::var("SUNZI_LIBCRYPTO") {
        println!("cargo::rustc-cdylib-link-arg=-L{folder}");
        // In words that zig's linker knows, too: it has no --push-state.
        for argument in ["-Wl,--no-as-needed", "-lcrypto", "-Wl,--as-needed"] {
            println!("cargo::rustc-cdylib-link-arg={argument}");
        }
    }
}

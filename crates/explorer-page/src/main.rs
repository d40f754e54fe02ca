//! `sunzi-explorer-page DIR` writes the page into a folder: what `sunzi papers --explore DIR` does,
//! without the rest of the command. For work on the page.

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: sunzi-explorer-page DIR");
        return ExitCode::from(2);
    };
    let page = folder.join("index.html");
    let written = std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(&page, sunzi_explorer_page::HTML));
    match written {
        Ok(()) => {
            println!("{}", page.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("cannot write {}: {error}", page.display());
            ExitCode::FAILURE
        }
    }
}

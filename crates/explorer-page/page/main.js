// Starts the page: WebAssembly first, then the sections, then the state from the address.

const SECTIONS = [residues, extension, product, sum, cube, inversion, network];

(async () => {
  const failure = document.getElementById("failure");
  const fail = (error) => {
    failure.hidden = false;
    failure.textContent = `This page does not work in this browser: ${error}`;
  };
  try {
    const text = document.getElementById("module").textContent;
    const module = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    await wasm_bindgen({ module_or_path: module });
    SECTIONS.forEach((section) => section());
    recall();
    window.addEventListener("hashchange", recall);
    NARROW.addEventListener("change", () => forms.forEach((form) => form.compute()));
    document.documentElement.dataset.ready = "true";
  } catch (error) {
    fail(error);
    throw error;
  }
})();

"use strict";
// What is shown is in the address behind #, so that a link leads to it: #show=fail,error&q=gemm
(() => {
  const search = document.getElementById("search");
  const boxes = [...document.querySelectorAll("#filter input[type=checkbox]")];
  const items = [...document.querySelectorAll(".item")];
  const phases = [...document.querySelectorAll(".phase")];
  const shown = document.getElementById("shown");

  function apply() {
    const verdicts = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    const usual = boxes.every((box) => box.checked === box.defaultChecked);
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    let all = 0;
    for (const item of items) {
      const fits = verdicts.has(item.dataset.verdict) && words.every((word) => item.dataset.words.includes(word));
      item.hidden = !fits;
      if (item.tagName === "TBODY") {
        all += 1;
        count += fits ? 1 : 0;
      }
    }
    const filtered = words.length > 0 || !usual;
    for (const phase of phases) {
      const some = phase.querySelector(".item:not([hidden])") !== null;
      phase.hidden = filtered && !some;
      if (filtered && some) phase.open = true;
    }
    shown.textContent = `${count} of ${all} ${shown.dataset.of}`;
  }

  function write() {
    const state = new URLSearchParams();
    const some = boxes.filter((box) => box.checked).map((box) => box.value);
    if (boxes.some((box) => box.checked !== box.defaultChecked)) state.set("show", some.join(","));
    if (search.value) state.set("q", search.value);
    history.replaceState(null, "", "#" + state.toString());
    apply();
  }

  function read() {
    const hash = location.hash.slice(1);
    const target = hash && document.getElementById(hash);
    if (target) {
      const item = target.closest(".item");
      // A link leads to its section, whatever is filtered.
      if (item && item.hidden) {
        for (const box of boxes) box.checked = true;
        search.value = "";
      }
      const phase = target.closest("details");
      if (phase) phase.open = true;
      apply();
      return target.scrollIntoView();
    }
    const state = new URLSearchParams(hash);
    const some = state.has("show") ? new Set(state.get("show").split(",")) : null;
    for (const box of boxes) box.checked = some === null ? box.defaultChecked : some.has(box.value);
    search.value = state.get("q") || "";
    apply();
  }

  search.addEventListener("input", write);
  for (const box of boxes) box.addEventListener("change", write);
  document.getElementById("filter").addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", read);
  read();
})();

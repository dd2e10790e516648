// Sorting within each phase, by buttons in the heads; and the roles that older browsers lose where a table is shown as a list.
"use strict";
const ROLES = { TABLE: "table", THEAD: "rowgroup", TBODY: "rowgroup", TR: "row", TD: "cell" };
for (const part of document.querySelectorAll("table, table *")) {
  const role = part.tagName === "TH" ? (part.scope === "col" ? "columnheader" : "rowheader") : ROLES[part.tagName];
  if (role) part.setAttribute("role", role);
}
for (const table of document.querySelectorAll("table[data-sort]")) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const isNumber = head.dataset.k === "number";
    const button = document.createElement("button");
    button.type = "button";
    button.title = "Sort within each phase";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    const key = row => isNumber ? parseFloat(row.cells[column].dataset.v) : row.cells[column].textContent;
    button.addEventListener("click", () => {
      const before = head.getAttribute("aria-sort");
      const up = before ? before === "descending" : !isNumber;
      table.querySelectorAll("[aria-sort]").forEach(other => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const order = (one, other) => one > other ? 1 : other > one ? -1 : 0;
      for (const body of table.tBodies) {
        const rows = [...body.rows].slice(1).map(row => [key(row), row]);
        // What has no number stays below, in both directions.
        rows.sort(([a], [b]) => Number.isNaN(a) || Number.isNaN(b) ? Number.isNaN(a) - Number.isNaN(b) : up ? order(a, b) : order(b, a));
        body.append(...rows.map(([, row]) => row));
      }
    });
  });
}

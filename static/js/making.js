// Proposes a study's short name from its title until somebody types another one. The server checks what is sent.
const title = document.querySelector("[data-title]");
const slug = document.querySelector("[data-slug]");

function proposed(text) {
  const plain = text.normalize("NFKD").replace(/[^\p{ASCII}]/gu, "").toLowerCase();
  return plain.replace(/[^a-z0-9\s_-]/g, "").trim().replace(/[\s_-]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 80);
}

if (title && slug && !slug.value) {
  let isOwn = false;
  slug.addEventListener("input", () => {
    isOwn = slug.value !== "";
  });
  title.addEventListener("input", () => {
    if (!isOwn) slug.value = proposed(title.value);
  });
}

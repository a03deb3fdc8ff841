// Several files as one that is sent in parts, one after the other, with the name and the size of each.

const READ = /\.(jsonl|json|csv|tsv|xml|ya?ml)$/i;

// The name of a file, with the folders that it is in if a folder was chosen.
const named = (file) => file.webkitRelativePath || file.name;

// Returns the one file, all of several as one, or null if there is none. Of a folder only files that can be read count.
export function bundleOf(list) {
  const files = [...list].filter((file) => !file.webkitRelativePath || READ.test(file.name));
  if (files.length < 2) return files[0] ?? null;
  const name = `${named(files[0])} and ${files.length - 1} more`;
  return Object.assign(new Blob(files), { name, files: files.map((file) => [named(file), file.size]) });
}

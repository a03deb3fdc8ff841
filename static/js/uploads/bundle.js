// Several files as one that is sent in parts, one after the other, with the name and the size of each.

// The name of a file, with the folders that it is in if a folder was chosen.
const named = (file) => file.webkitRelativePath || file.name;

// Returns the one file, all of several as one, or null if there is none. Of a folder only files count whose names end as
// those that a field accepts.
export function bundleOf(list, accept) {
  const isRead = ({ name }) => accept.split(",").some((suffix) => name.toLowerCase().endsWith(suffix));
  const files = [...list].filter((file) => !file.webkitRelativePath || isRead(file));
  if (files.length < 2) return files[0] ?? null;
  const name = `${named(files[0])} and ${files.length - 1} more`;
  return Object.assign(new Blob(files), { name, files: files.map((file) => [named(file), file.size]) });
}

const swapped = "a folder that another program swaps for a link during a call may be read or written once";

/** Notes of `doctor` about protections that are weaker on a system than on Linux. */
export function platformNotes(platform: NodeJS.Platform = process.platform): readonly string[] {
  if (platform === "linux") return [];
  if (platform !== "win32") return [`${platform}: ${swapped}; see docs/security.md`];
  return [
    `Windows: ${swapped}; access rights of new files are those of their folder, and a server behind this one that outlives its parent process is not ended; see docs/security.md`,
  ];
}

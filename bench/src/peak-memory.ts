import { readdirSync, readFileSync } from "node:fs";

/** The peak memory of a process and its children in MB. Sampled, so a spike of a few ms may be missed. */
export async function peakMemory(process: number, work: () => Promise<unknown>): Promise<number> {
  let peak = 0;
  const sample = () => {
    const sum = [process, ...childrenOf(process)].reduce((total, one) => total + residentKilobytes(one), 0);
    peak = Math.max(peak, sum / 1024);
  };
  sample();
  const timer = setInterval(sample, 5);
  await work();
  clearInterval(timer);
  return peak;
}

function childrenOf(process: number): readonly number[] {
  try {
    return readdirSync(`/proc/${process}/task`).flatMap((task) =>
      readFileSync(`/proc/${process}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

function residentKilobytes(process: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${process}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

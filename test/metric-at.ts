/** A metric of a process, asked at its admin port: the sum of all samples whose name and labels begin like this. */
export async function metricAt(adminAddress: string, prefix: string): Promise<number> {
  const response = await fetch(`http://${adminAddress}/metrics`, { signal: AbortSignal.timeout(2_000) });
  const samples = (await response.text()).split('\n').filter((line) => line.startsWith(`holdfast_${prefix}`));
  return samples.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

export async function probeProcessor(_render: unknown): Promise<readonly string[]> {
  return [];
}

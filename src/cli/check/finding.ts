/** `unknown`: it could not be determined. Only findings that are `wrong` make the check fail. */
type Level = 'ok' | 'note' | 'unknown' | 'wrong';

export interface Finding {
  topic: string;
  level: Level;
  text: string;
  fix?: string;
}

/** Adds a finding about one topic. */
export type Report = (level: Level, text: string, fix?: string) => void;

export function createReport(findings: Finding[], topic: string): Report {
  return (level, text, fix) => void findings.push({ topic, level, text, ...(fix && { fix }) });
}

export const name = 'Slack Water';
export const motto = 'Slow articles on small subjects';

export const name = 'My articles';
export const motto = 'Notes on writing and the sea';

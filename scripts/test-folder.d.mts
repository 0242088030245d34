export function testFolder(): { readonly folder: string; readonly remove: () => void }
export function leftByKilled(place: string): readonly string[]

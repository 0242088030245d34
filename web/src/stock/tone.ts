/** The class of a number by its sign. */
export const toneOf = (text: string | null | undefined): string => {
  if (!text || /^-?[0.]*$/.test(text)) return ''
  return text.startsWith('-') ? 'down' : 'up'
}

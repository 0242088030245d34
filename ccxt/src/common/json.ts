/** A text of JSON, or a number outside of one. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/**
 * Reads JSON with every number as its text, digit by digit as it was sent: amounts of the venue have more digits than a number
 * of JavaScript. Throws on text that is no JSON.
 */
export const exactJson = (text: string): unknown =>
  JSON.parse(text.replace(TOKEN, (token) => (token.startsWith('"') ? token : `"${token}"`)))

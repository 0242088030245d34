/**
 * Reads JSON whose amounts are numbers: those below the named fields become text, each digit as it was sent. No text inside of
 * JSON has a quote that is not escaped, so that nothing but a field matches.
 */
export function amountReader(names: readonly string[]): (text: string) => unknown {
  const amounts = new RegExp(`"(${names.join('|')})"\\s*:\\s*(-?\\d[\\d.eE+-]*)`, 'g')
  return (text) => JSON.parse(text.replace(amounts, '"$1":"$2"'))
}

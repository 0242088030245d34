// A decimal number as it is typed: the venue writes a point, and keyboards of half of the world have a comma for it.

/** Whether the reader's language writes decimals with a comma, or the keys are those of a phone, which has one sign for them alone. */
const commaIsPoint = (): boolean =>
  new Intl.NumberFormat().format(0.5).includes(',') || matchMedia('(pointer: coarse)').matches

/**
 * The text of a field for a decimal number. The first comma that is typed becomes a point. What is pasted stays as it is, since
 * nobody can tell whether its comma parts thousands, and so does what is typed where a comma does that.
 */
export function readDecimal(input: HTMLInputElement, { inputType, data }: InputEvent): string {
  const isTyped = inputType === 'insertText' && data === ','
  if (isTyped && /^[^,.]*,[^,.]*$/.test(input.value) && commaIsPoint()) {
    const caret = input.selectionStart
    input.value = input.value.replace(',', '.')
    input.setSelectionRange(caret, caret)
  }
  return input.value
}

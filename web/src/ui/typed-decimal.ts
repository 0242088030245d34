// A decimal number as it is typed: the venue writes a point, and keyboards of half of the world have a comma for it.

export interface Typed {
  /** What the field shows. */
  readonly shown: string
  /** What it comes to: no amount where its sign may as well part thousands. */
  readonly value: string
  /** The only sign in it, where the user has put it there: who changes one digit of a price need not have meant its point. */
  readonly sign: ',' | '.' | null
}

/** An input event, as far as it matters. */
type Put = Pick<InputEvent, 'inputType' | 'data'>

export interface Keyboard {
  /** Whether the reader's language writes decimals with a comma. */
  readonly commaIsPoint: boolean
  /** Whether it is that of a phone, which may have one sign for decimals alone, whatever the language. */
  readonly isPhone: boolean
}

const keyboard = (): Keyboard => ({
  commaIsPoint: new Intl.NumberFormat().format(0.5).includes(','),
  isPhone: matchMedia('(pointer: coarse)').matches,
})

/** One comma that may part thousands, which a number that begins with a zero does not have. */
const THOUSANDS = /^[1-9]\d{0,2},\d{3}$/
const ONE_SIGN = /^[^,.]*[,.][^,.]*$/

/**
 * A text after something was typed into it. A comma that is typed becomes a point where the reader's language writes one so, and on a
 * phone. What may part thousands as well, by that language or by the phone's keys, is never taken for a decimal: it keeps a comma,
 * which no amount has. What is pasted keeps its comma, since nobody can tell what it is.
 */
export function typedText(text: string, put: Put, before: Typed | null, keys: Keyboard): Typed {
  const sign = ONE_SIGN.test(text) ? ownSign(text, put, before) : null
  const [withPoint, withComma] = [text.replace(',', '.'), text.replace('.', ',')]
  const mayPart = THOUSANDS.test(withComma)
  if (sign === '.') return { shown: text, value: keys.commaIsPoint && mayPart ? withComma : text, sign }
  if (sign === null || !(keys.commaIsPoint || keys.isPhone)) return { shown: text, value: text, sign }
  const read = mayPart && !keys.commaIsPoint ? withComma : withPoint
  return { shown: read, value: read, sign }
}

/** Whose the sign is: typed or pasted now, or before. Only a comma that is typed counts, and it may stand as a point since. */
function ownSign(text: string, { inputType, data }: Put, before: Typed | null): Typed['sign'] {
  if (inputType === 'insertText' && data === ',') return ','
  const isPut = inputType.startsWith('insert') && (data === null || /[,.]/.test(data))
  if (isPut) return text.includes('.') ? '.' : null
  return before?.sign ?? null
}

/** The two numbers that a value may stand for which is refused since its comma may part thousands; null for any other. */
export const readings = (value: string): readonly [string, string] | null =>
  THOUSANDS.test(value) ? [value.replace(',', ''), `${value.replace(',', '.')}0`] : null

/** What a field holds after something was typed into it; it then shows it. `before` is what it held. */
export function readDecimal(input: HTMLInputElement, put: Put, before: Typed | null): Typed {
  const typed = typedText(input.value, put, before, keyboard())
  if (typed.shown !== input.value) {
    const caret = input.selectionStart
    input.value = typed.shown
    input.setSelectionRange(caret, caret)
  }
  return typed
}

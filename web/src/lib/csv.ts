/** Rows as RFC 4180 has them. A cell that a spreadsheet would run as a formula is quoted as text; what is a number as a whole stays one. */
export function csvOf(header: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  return [header, ...rows].map((row) => row.map(cell).join(',')).join('\r\n')
}

function cell(value: string | number | null): string {
  const text = value === null ? '' : String(value)
  const isFormula = /^[=+@\t\r]|^-(?!\d+(?:\.\d+)?$)/.test(text)
  const safe = isFormula ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Offers a text as a file of this name. */
export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url))
}

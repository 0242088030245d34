import { createHash } from 'node:crypto'

/** Text that is HTML already. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = string | number | Html | readonly Part[]

/** A template whose values are escaped, unless they are HTML themselves; lists are joined. */
export function html(strings: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(
    strings.map((text, index) => text + (index < values.length ? rendered(values[index] ?? '') : '')).join(''),
  )
}

function rendered(value: Part): string {
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(rendered).join('')
  return String(value).replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}

const STYLE = `
:root{color-scheme:light dark;--line:light-dark(#dcdfe4,#333943);--soft:light-dark(#f5f6f8,#1b1f26);--dim:light-dark(#5b6470,#9aa4b2);--link:light-dark(#0b5cad,#7db7f5)}
*{box-sizing:border-box}
body{margin:0;font:16px/1.55 system-ui,sans-serif;background:light-dark(#fff,#12151a);color:light-dark(#1a1d21,#e4e8ee)}
a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}
code,pre{font:14px/1.5 ui-monospace,Menlo,Consolas,monospace}
pre{background:var(--soft);border:1px solid var(--line);border-radius:6px;padding:.8rem;overflow:auto;margin:.5rem 0}
.page{display:grid;grid-template-columns:19rem minmax(0,1fr);max-width:84rem;margin:auto}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.5rem 1rem;border-right:1px solid var(--line);font-size:14px}
nav ul{list-style:none;margin:.2rem 0 1rem;padding:0}nav li{margin:.15rem 0;overflow-wrap:anywhere}nav b{color:var(--dim)}
main{padding:1.5rem 2.5rem 6rem}
h1{font-size:1.7rem;line-height:1.2}h2{margin-top:3rem;border-bottom:1px solid var(--line)}h3{margin:2.5rem 0 .3rem}h4{margin:1.2rem 0 .3rem}
table{border-collapse:collapse;width:100%;font-size:14px;margin:.5rem 0}
th,td{text-align:left;vertical-align:top;padding:.35rem .8rem .35rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
th{color:var(--dim);font-weight:600}td:first-child{white-space:pre-wrap}
.dim{color:var(--dim)}
@media(max-width:60rem){.page{display:block}nav{position:static;height:auto;border-right:0;border-bottom:1px solid var(--line)}main{padding:1rem}}
`

/** The headers of every page: it loads nothing, runs nothing and is framed by nobody; its own style is named by its hash. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
} as const

/** A whole page; `nav` stands beside it where there is room. */
export function page(title: string, nav: Html, main: Html): string {
  const { text } =
    html`<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title}</title><style>${new Html(STYLE)}</style></head>
<body><div class="page"><nav>${nav}</nav><main>${main}</main></div></body></html>`
  return `<!doctype html>\n${text}\n`
}

// The page of the reference at /docs: a kept library shows the venue's OpenAPI documents, and this page signs what it sends.
import './reference.css'
import scalarUrl from 'virtual:scalar'
import { render } from 'preact'
import type { Setup } from '../app-state.ts'
import { explain } from '../lib/explain.ts'
import { type Document, shownDocument } from './document.ts'
import { keys } from './keys.ts'
import { PageHeader } from './page-header.tsx'
import type { ProductName } from './samples.ts'
import { fetchOf } from './sign.ts'
import { words } from './strings.ts'

/** The products in their order here, with the documents that the venue serves of them. */
const DOCUMENTS: Readonly<Record<ProductName, string>> = { stock: '/openapi.json', perp: '/openapi/perp.json' }

/** As far as this page uses it; https://scalar.com/products/api-references/configuration names the rest. */
interface Scalar {
  createApiReference(place: string, configuration: Readonly<Record<string, unknown>>): unknown
}

async function start(): Promise<void> {
  const setup = (await (await fetch('/app-config.json')).json()) as Setup
  render(<PageHeader setup={setup} />, document.getElementById('header') as HTMLElement)
  await loadScript(scalarUrl)
  const { Scalar } = window as unknown as { readonly Scalar: Scalar }
  Scalar.createApiReference('#reference', configurationOf(setup))
}

function loadScript(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = url
    script.onload = () => resolve()
    script.onerror = () => reject(new Error(words.failed))
    document.head.append(script)
  })
}

function configurationOf(setup: Setup): Readonly<Record<string, unknown>> {
  const served = (['stock', 'perp'] as const).filter((product) => setup[product] !== null)
  const documents = served.map((product) => {
    const venue = {
      product,
      baseUrl: location.origin + setup[product]?.prefix,
      chainId: setup.chainId,
      productType: setup.stock?.product ?? '',
    }
    return [DOCUMENTS[product], (text: string) => shownDocument(JSON.parse(text) as Document, venue)] as const
  })
  return {
    sources: served.map((product) => ({
      title: words[product],
      slug: product,
      url: DOCUMENTS[product],
      agent: { disabled: true },
    })),
    customFetch: fetchOf({
      setup,
      signerOf: (product) => keys.peek()[product],
      documents: Object.fromEntries(documents),
    }),
    // Nothing is asked of anybody but the venue.
    telemetry: false,
    withDefaultFonts: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    hideClientButton: true,
    // Only a venue of this machine takes requests of its reference: elsewhere they would move money by a slip.
    hideTestRequestButton: !setup.embedded,
    // Its own samples sign nothing.
    hiddenClients: true,
    documentDownloadType: 'direct',
    defaultOpenFirstTag: true,
    hideModels: false,
    modelsSectionLabel: 'Schemas',
    persistAuth: false,
  }
}

start().catch((error: unknown) => {
  const place = document.getElementById('reference') as HTMLElement
  place.textContent = `${words.failed} ${explain(error)}`
})

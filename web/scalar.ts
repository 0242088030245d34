// The library that shows the reference, as a file of the app: npm's package for Fastify carries its whole bundle as a text.
import scalar from '@scalar/fastify-api-reference'
import fastify from 'fastify'
import type { Plugin } from 'vite'

const NAME = 'virtual:scalar'
const RESOLVED = `\0${NAME}`

/** The bundle, asked of the package as a browser would. */
async function bundle(): Promise<string> {
  const app = fastify()
  await app.register(scalar, { routePrefix: '/reference', configuration: { url: '/openapi.json' } })
  const { statusCode, payload } = await app.inject('/reference/js/scalar.js')
  await app.close()
  if (statusCode !== 200) throw new Error(`@scalar/fastify-api-reference has no bundle: HTTP ${statusCode}`)
  return payload
}

/** Makes `virtual:scalar` the address of the bundle, which is written beside the app's other files with its hash in its name. */
export const scalarBundle = (): Plugin => ({
  name: 'scalar-bundle',
  resolveId: (id) => (id === NAME ? RESOLVED : null),
  async load(id) {
    if (id !== RESOLVED) return null
    const reference = this.emitFile({ type: 'asset', name: 'scalar.js', source: await bundle() })
    return `export default import.meta.ROLLUP_FILE_URL_${reference}`
  },
})

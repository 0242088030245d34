// Compresses what the build wrote, once: a venue sends the file that is there, and spends nothing on it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import type { Plugin } from 'vite'

const TEXT = /\.(js|css|html|svg)$/
/** A smaller file comes in one packet anyway. */
const LEAST_BYTES = 1024
/** The largest file takes a second of the build; the highest quality would take half a minute for a tenth less. */
const QUALITY = 7

/** Writes `x.br` beside each text `x`, for browsers that take Brotli. */
export function compressed(): Plugin {
  let folder = ''
  return {
    name: 'compressed',
    apply: 'build',
    configResolved: ({ root, build }) => {
      folder = join(root, build.outDir)
    },
    closeBundle() {
      for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        if (TEXT.test(name)) compress(join(folder, name))
      }
    },
  }
}

function compress(path: string): void {
  const bytes = readFileSync(path)
  if (bytes.length < LEAST_BYTES) return
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } }))
}

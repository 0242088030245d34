import { build } from 'rolldown'

export interface Bundle {
  readonly code: string
  /** Every module that is part of it. */
  readonly modules: readonly string[]
  /** What is left to be imported when it runs. */
  readonly imports: readonly string[]
}

/** Everything that a source exports, in one minified file for browsers. */
export async function bundled(source: string, resolveDir: string): Promise<Bundle> {
  const entry = `${resolveDir}/virtual-entry.ts`
  const { output } = await build({
    input: entry,
    platform: 'browser',
    write: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? id : null),
        load: (id) => (id === entry ? source : null),
      },
    ],
    output: { format: 'esm', minify: true, codeSplitting: false },
  })
  const [chunk] = output
  return { code: chunk.code, modules: chunk.moduleIds, imports: [...chunk.imports, ...chunk.dynamicImports] }
}

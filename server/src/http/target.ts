/** `http://host/path?query` as `/path?query` (RFC 9112, 3.2.2); a target that has this form already stays as it is. */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target
  const path = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(.*)$/i.exec(target)?.[1] ?? ''
  return path.startsWith('/') ? path : `/${path}`
}

/**
 * What the router sees of a request target: its origin form, and a path that cannot be decoded turned into one that no
 * route has, so that it is limited, authenticated and answered like every unknown path.
 */
export function routableUrl(target: string): string {
  const url = originForm(target)
  if (!url.includes('%')) return url
  const path = pathOf(url)
  if (!path.includes('%')) return url
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return path.replaceAll('%', '%25')
  }
}

function pathOf(url: string): string {
  const end = url.search(/[?#]/)
  return end < 0 ? url : url.slice(0, end)
}

/** The raw query of a URI, without `?`; empty when there is none. */
export function rawQueryOf(uri: string): string {
  const start = uri.indexOf('?')
  return start < 0 ? '' : uri.slice(start + 1)
}

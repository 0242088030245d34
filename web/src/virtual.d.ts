declare module 'virtual:scalar' {
  /** Address of the bundle of the library that shows the reference. */
  const url: string
  export default url
}

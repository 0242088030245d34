// Vite makes one style sheet of the imported ones.
declare module '*.css'

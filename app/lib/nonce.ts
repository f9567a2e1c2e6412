import { createContext } from 'react'

/** The nonce of the page that is being rendered, for inline scripts of the frame; undefined in a browser, which hides it. */
export const NonceContext = createContext<string | undefined>(undefined)

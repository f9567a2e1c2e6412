/** The background colour of pages (`--color-paper` in ui/tokens.css), for status bars and start screens. */
export const themeColors = { light: '#faf8f2', dark: '#161714' } as const

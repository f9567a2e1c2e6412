/** The colour of a page's ground (`--color-paper` in ui/tokens.css), for what draws round the page: status bars, start screens. */
export const themeColors = { light: '#faf8f2', dark: '#161714' } as const

/** How the disk of the site stands when it does not stand well. */
export type DiskState = 'nearly-full' | 'full'

/** The grid of a row and of the row that stands for it while the list loads. */
export const rowGrid = 'grid grid-cols-1 gap-x-4 border-b border-line py-4 sm:grid-cols-[minmax(0,1fr)_3.5rem_5rem]'

import { ordinal } from '~/lib/text.ts'

/** Characters of a skill's name. */
export const MAX_SKILL_LENGTH = 50

export interface Studies {
	branch: string
	/** 1 to 8, or null. */
	year: number | null
	/** 1 to 12, or null. */
	semester: number | null
}

/** A member in one line; '' when nothing is to be said. Nobody can be written to who only stands for an imported text. */
export interface Introduction {
	line: string
	imported: boolean
}

/** “CSE, 3rd year, semester 6”, as much of it as is known. */
export function studiesText({ branch, year, semester }: Studies): string {
	return [branch, year && `${ordinal(year)} year`, semester && `semester ${semester}`].filter(Boolean).join(', ')
}

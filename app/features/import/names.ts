import { createHash } from 'node:crypto'

const given =
	'Aarav Abel Ada Adil Aiko Alba Alma Amara Amit Anais Anders Anika Anton Arlo Asha Astrid Ayla Bao Basil Bea Ben Bianca Bodhi Cai Calla Carmen Cato Celia Chidi Clara Cleo Cora Dalia Damir Dara Davi Delia Devi Dina Dario Edda Efe Elena Elif Elio Ema Emil Enzo Esme Etta Ezra Faye Femi Fiona Flora Freya Gael Gita Greta Hadi Hanna Hari Hedda Hugo Ida Ilan Ilse Imani Ines Ingrid Ira Isla Ivo Jai Jana Jasper Jin Joao Jonas Jun Kaia Kamal Kari Kato Keiko Kira Kofi Lale Lara Lars Lea Leif Lena Levi Lila Lior Liv Luca Luz Mae Maia Malik Mara Marek Maya Mei Mila Milo Mina Mira Nadia Naoki Nara Neha Nia Niko Nila Noa Nora Odin Olga Omar Orla Otto Paz Pema Petra Pia Quinn Rafa Rana Ravi Reza Rhea Rina Rumi Saba Sami Sana Sasha Selma Sena Silas Sol Suri Taj Tala Tara Teo Thea Tilda Timur Tova Ula Uri Vada Vera Vida Viggo Wanda Wim Xenia Yael Yara Yuki Zain Zara Zeno Zora'.split(
		' ',
	)
const first =
	'Alder Amber Apple Arrow Ash Autumn Barley Bay Bell Birch Black Blue Bramble Bright Brook Cedar Clay Clover Copper Coral Corn Crane Dale Dawn Elder Elm Ever Fern Field Finch Flint Fox Frost Glen Gold Grain Green Hare Hazel Heath Heron High Holly Honey Iron Ivy Juniper Kettle Lake Lantern Lark Laurel Linden Long Maple Marble Marsh May Meadow Mill Moon Moss North Oak Olive Orchard Otter Pearl Pebble Pine Plum Quill Rain Raven Reed River Robin Rowan Rush Sage Sand Silver Snow South Spring Star Stone Summer Swift Thistle Thorn Tide Vale Violet West Wheat Willow Wind Winter Wood Wren Yarrow'.split(
		' ',
	)
const second =
	'bank beck bourne bridge brook bury by combe croft dale den fell field ford gate grove ham hill holm hurst land lea ley low mead mere moor more port ridge shaw side stead stone thorpe ton wade wall ward water way well wick wood worth yard'.split(
		' ',
	)

/** An invented name for the author of imported texts: the same for the same key, belonging to nobody. */
export function inventedName(key: string): string {
	const digest = createHash('sha256').update(key).digest()
	const pick = (list: string[], at: number) => list[digest.readUInt32BE(at) % list.length] ?? ''
	return `${pick(given, 0)} ${pick(first, 4)}${pick(second, 8)}`
}

/** The username that goes with an invented name: the name in the site's form and enough of the key's hash to be unique. */
export function inventedUsername(key: string): string {
	const digest = createHash('sha256').update(key).digest('hex')
	return `${inventedName(key)
		.toLowerCase()
		.replace(/[^a-z]+/g, '.')}.${digest.slice(0, 8)}`
}

/** The address of an imported account; the ending `.invalid` can never receive mail (RFC 2606). */
export function inventedEmail(key: string): string {
	return `${createHash('sha256').update(key).digest('hex').slice(0, 32)}@import.invalid`
}

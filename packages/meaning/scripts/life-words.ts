/** Words of everyday life, from which dialogue is generated. */

const split = (text: string) => text.trim().split(/\s*,\s*/);

export const people = split(`
  Anna, Ben, Carla, David, Emma, Felix, Grace, Henry, Ines, Jack, Karen, Leo, Maria, Nick, Olivia, Paul, Rosa, Sam, Tina, Victor, my sister, my brother,
  my mom, my dad, my wife, my husband, my son, my daughter, the kids, my grandmother, my best friend, a friend, my neighbor, my boss, a coworker, my teacher,
  my coach, my therapist, my dog, my cat, our team, the community, my students, my cousin, my roommate, our neighbors, an old friend from school
`);

/** What people did, in the past tense. */
export const deeds = split(`
  started a new job, quit a job, got promoted, opened a small shop, lost a job, finished a degree, passed an exam, went back to school, joined a support group,
  started seeing a therapist, talked about mental health, adopted a puppy, adopted a child, got married, got engaged, had a baby, went through a breakup,
  moved to a new city, bought a house, rented an apartment, painted the living room, planted a garden, grew tomatoes, cooked dinner, baked a cake,
  tried a new recipe, learned to play the guitar, learned the piano, took a pottery class, painted a sunset, made a clay bowl, took photos of the mountains,
  wrote a poem, wrote a book, read a novel, recommended a book, watched a movie, saw a play, went to a concert, went to a museum, visited an art exhibition,
  danced at a festival, joined a dance studio, ran a marathon, won a race, hurt a knee, broke an arm, was sick for a week, recovered from surgery,
  started doing yoga, went hiking, went camping with the family, climbed a mountain, swam in the ocean, went surfing, went fishing, rode a bike to work,
  played basketball, scored a goal, joined a soccer team, won a tournament, played video games, built a computer, repaired a car, bought a new car,
  had an accident, volunteered at a shelter, helped homeless people, raised money for charity, organized a fundraiser, joined a protest, gave a speech,
  attended a conference, gave a talk at a school, mentored young people, made new friends, met an old friend, lost touch with a friend, had a long argument,
  celebrated a birthday, threw a party, got a gift, gave a necklace, received a letter, lost a wallet, found an old photo album, remembered childhood,
  travelled to Japan, travelled to Paris, spent a week at the beach, went on a road trip, missed a flight, visited the grandparents, stayed at a cabin,
  saw a beautiful sunset, went to church, meditated every morning, stopped smoking, lost weight, started a diet, drank too much coffee, slept badly,
  worked late, felt stressed at work, took a day off, started a business, found an investor, designed a logo, launched a website, sold paintings,
  recorded a song, played in a band, performed on stage, streamed online, posted a video, lost the house in a flood, saved money, paid a debt
`);

/** Additions to a sentence. */
export const remarks = split(`
  and it was amazing, and it helped me relax, and I felt proud, and it was hard, and I learned a lot, and everyone loved it, but it rained, but I was nervous,
  because I needed a change, because family comes first, to relieve stress, to stay healthy, to help others, with the kids, with my family, with friends,
  together with my partner, for the first time, after many years, last weekend, last week, two weeks ago, yesterday, last month, in May, in the summer of 2022,
  on Saturday, this morning, next month, a few years ago, when I was a child, at the park, at home, at the lake, downtown, in the mountains, near the beach
`);

/** Answers and talk without facts. */
export const talk = split(`
  that sounds great, wow congratulations, I am so happy for you, thanks for asking, how have you been, what have you been up to, long time no see,
  I am sorry to hear that, that must be hard, you are doing great, keep going, I totally agree, good luck with it, let me know how it goes, take care,
  what inspired you, how did it go, how do you feel about it, what is your favorite part, do you have any plans for the weekend, any advice for me,
  thanks for your support, it means a lot to me, family is everything, nature always calms me down, music makes me happy, it was a tough year
`);

/** Questions about a deed: \`{who}\` and \`{did}\`. */
export const questions = split(`
  when did {who} say that they {did}, who {did}, why was it that {who} {did}, where was it that {who} {did}, what happened after {who} {did},
  how did {who} feel when they {did}, with whom was {who} when they {did}, which person {did}, is it true that {who} {did}, what do we know about {who} who {did}
`);

/** Words that carry grammar or courtesy, not the subject of a query. */
const grammar = `a about above after again all also am an and any anything are around as at be because been before being
  below between both but by can cannot cant could did do does doing dont during each either else ever every few for
  from further had has have having he her here hers him his how however i id if im in into is it its itself ive just let lets
  me might more most much must my myself no nor not now of on once one only onto or other our ours out over own per same
  she should since so some someone something such than that thats the their theirs them then there these they this those
  through to too until upon us very via was we well were what whats when where whether which while who whom whose
  why will with within without would you your yours yourself`;

const courtesy = `additionally assist assistance please hello help hey hi kindly thank thanks appreciate certainly sure want wants wanted need needs
  needed like would wish wondering wonder hoping hope curious interested love looking look trying try able possible possibly
  currently really great good nice know tell give provide using use used user via specific specified specifically given based
  various relevant regarding concerning along including included includes etc eg ie ok okay furthermore moreover lastly finally
  first second next`;

export const stopWords: ReadonlySet<string> = new Set(`${grammar} ${courtesy}`.split(/\s+/));

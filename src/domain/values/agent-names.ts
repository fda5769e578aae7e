/** Names for agents that were given none: short, easy to say and to tell apart. All are distinct and valid. */
export const AGENT_NAMES: readonly string[] = words(`
  abel ace ada agate ajax akira alba alder alma aloe alto amber amigo amos anise anton apollo apple aqua
  arbor archie ares argo ari aria arlo arrow arthur ash aspen aster astrid athena atlas atom auburn august
  aura aurora avon axel azalea azure
  bach bali bambi bamboo banjo bao barley basil bay beacon bean bear beau becky bella benji berry beryl
  betty birch bishop bison blaze blossom blue bodhi bolt bonnie bonsai boris bowie bramble bravo breeze
  briar brie brio brook bruno bubbles buddy bumble burl buster butter byron
  cacao cactus cadence cairo calla callie calypso camilla candle canyon cappy carlo carmen carob casper
  cassia castor cedar celeste cello ceres chai charlie chaser chess chester chia chico chip chloe chopin
  cicero cinder citron clara clay clover clyde coast cobalt coco comet cookie copper coral cosmo cotton cove
  cricket crimson crystal cumin cyan cypress
  dahlia daisy dakota dali damson dandy dante daphne darcy dash dawn delphi delta denim derby dewey diego
  dijon dill dino disco dixie dolly domino donut dora dory dove drift duke dune dusk dusty dylan
  eagle easel ebony echo eden edgar edison egret elba elder elgar ella ellie elm elmo elsa ember emerald
  emma enzo epic erin esme esther ethan etta euclid evan everest ezra
  fable falcon fargo faro fauna fawn felix fennel fern fiddle fifi figaro fiji finch finn fiona fjord flash
  fleur flint flora floyd fluff flute forest fox freya fresco frida frisky frodo frost fudge
  gaia gala galaxy galileo garnet gecko gemma genie george gilda ginger ginkgo giselle gizmo glacier globe
  goblet goldie goose gordon grace granite gravy greta griffin grove guava gulf gustav gypsum
  hadley haiku hale halley hamlet hana hank harbor harley harper harry harvey hawk hazel heath hector heidi
  helios helix henna henry hera hermes heron hilda holly homer honey hopper horizon hudson hugo hula
  humphrey hydra
  ibis icarus idris iggy igloo ike indie indigo indra inez ingrid iona ira iris isaac isla island ivan ivory
  ivy
  jackson jade janus jarvis jasmine jasper java jazz jelly jenga jenny jersey jesse jet jiffy jigsaw jolly
  jonah jordan journey joy jubilee jude judo juju julep jumbo june juniper juno jupiter
  kai kale karma kayak keats kelp kelly kelvin kepler kestrel kiki kimchi kingsley kipper kiri kismet kite
  kiwi klimt koala koda koi kona kumquat kyoto
  lagoon lana lark larry laser latte laurel lava lemon lena lenny leo leopard lev lexi liberty lilac lily
  lima lime linden linus lisbon lobo locket logan loki lola lotus louie lucky luigi lulu luna lupin lynx
  lyra lyric
  mabel mace macy madrid maggie magma magnet magnolia maia maisie mallow malta mambo mango maple marble
  margo marigold marina mario marlin marlow mars martha marvin matcha matisse maui maverick maxine maya
  meadow melody melon mercury merlin mickey midas mila miles milo mimi mimosa mint mira mistral misty mocha
  mojo molly monet monty moon moose morris moss mozart muffin murphy mustard myrtle
  nacho nadia nala nami naomi napoli narwhal nash nectar nell nellie nelson nemo neon neptune nero nettle
  newton nico niko niles nimbus nina noah noble noir nola nomad nora norman nougat nova nugget nutmeg
  oak oakley oasis oat ocean octavia odin olive oliver ollie omega onyx opal opus orca orchid oregano orion
  orla oscar osprey otis otter otto oxford ozzy
  pablo paddy paisley palma panda pansy papaya papi paprika parker parsley pasta patches pavlov peach peanut
  pearl pebble pecan pegasus penny peony pepper percy perry petal petra petunia phoebe phoenix piano pickle
  pico pilot pine pinto pip piper pippin pixel pixie plato plum pluto poet poppy porter posy prairie
  primrose prism prune puffin pumpkin puzzle pyxis
  quail quark quartz quasar queenie quest quill quince quincy quinn quinoa
  rafa rain rainbow ramona ranger raven ravi reed reef reggae remy rex rhubarb ria ricky rigel riley ringo
  ripple river robin rocco rocket rocky rolo roman romeo romy rory rosa rosemary rosie rover rowan roxy ruby
  rudy rufus rumba rumi rune rusty ruth rye
  saffron sage sahara sailor salsa sammy samoa sandy sasha saturn scout sequoia shadow shamrock shelly
  sherlock shiloh sienna sierra silver simba sirius skipper sky slate smokey snappy snow socks sofia solar
  solo sonar sonata sonnet sonny sony sophie sorbet sorrel spark sparrow spice spirit spruce star stella
  sterling stevie storm sugar summer summit sunny sushi swan swift sybil sydney
  taco tahoe talia tally talon tamara tango tansy tarzan teal tempo terra tetra thea theo thistle thor thyme
  tiger tilly timber tinker titan toby toffee tofu tokyo tomato tonka topaz topper torin toucan trek trevor
  tricky trinity trixie trout truffle tucker tulip tulsa tundra turbo turing turnip twig tybalt tycho
  ulysses umber uma unity uno urban uri ursa utah
  valley vanilla vega velvet venice venus vera verdi vesper vesta vienna vince vinny viola violet vita
  vivaldi volta vulcan
  waffle waldo walnut walrus walter wanda wasabi watson wendy wilbur willa willow wilson windy winnie
  winston winter wisp wizard wolf wombat wonder woody wren
  xander xavi xena xenia ximena
  yara yarrow yeti ylang yoda yogi yoko yolanda york yoshi yuca yukon yuma yuri yuzu
  zada zara zazu zebra zelda zen zenith zephyr zesty zeus zia ziggy zigzag zinnia zion zippy zircon zoe zola
  zorro zulu zuma zuri
`);

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

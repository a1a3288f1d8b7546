import Octets
import Testing

@Suite("Randomness")
struct RandomSourceTests {
  @Test func `SplitMix64 gives the published sequence`() {
    // The reference sequence of the seed 1234567, as published with the algorithm's test programs.
    var generator = SplitMix64(seed: 1_234_567)
    let expected: [UInt64] = [
      6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423, 4_593_380_528_125_082_431,
      16_408_922_859_458_223_821,
    ]
    #expect(expected.map { _ in generator.next() } == expected)
  }

  @Test func `equal seeds give equal sequences for any sizes of the requests`() {
    let one = SeededRandomSource(seed: 42)
    let other = SeededRandomSource(seed: 42)
    #expect(one.octets(100) == other.octets(30) + other.octets(0) + other.octets(70))
    #expect(one.octets(8) == other.octets(8))
  }

  @Test func `different seeds give different sequences`() {
    let sequences = (0..<100).map { SeededRandomSource(seed: $0).octets(16) }
    #expect(Set(sequences).count == 100)
  }

  @Test func `the system's generator returns the requested number of bytes and never repeats them`() {
    let source = SystemRandomSource()
    for count in [0, 1, 32, 1000] { #expect(source.octets(count).count == count) }
    #expect(source.octets(32) != source.octets(32))
  }
}

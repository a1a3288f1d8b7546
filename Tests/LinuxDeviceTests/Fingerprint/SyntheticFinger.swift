import Foundation
import Octets

/// A made-up fingerprint: ridges that follow the orientation field of a loop, grown from noise by oriented filters.
///
/// The field is the zero-pole model (Sherlock and Monro 1993), the growth that of SFinGe (Cappelli 2000). Its minutiae
/// come from the noise, so another seed is another finger.
struct SyntheticFinger {
  static let (width, height) = (192, 240)
  private static let (period, spread, reach) = (9.0, 3.2, 8)
  private static let directions = 24

  private let ridges: [Float]

  /// Grows the ridges.
  init(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var field = (0..<Self.width * Self.height).map { _ in Float.random(in: -1...1, using: &random) }
    let core = (Double.random(in: 80...112, using: &random), Double.random(in: 80...110, using: &random))
    let delta = (Double.random(in: 20...60, using: &random), Double.random(in: 180...215, using: &random))
    let bins = Self.bins(core: core, delta: delta)
    for _ in 0..<4 { field = Self.filtered(field, bins) }
    ridges = field
  }

  /// The orientation of the ridges at each place, as the number of a filter.
  private static func bins(core: (Double, Double), delta: (Double, Double)) -> [Int] {
    (0..<width * height).map { place in
      let (x, y) = (Double(place % width), Double(place / width))
      let angle = (atan2(y - core.1, x - core.0) - atan2(y - delta.1, x - delta.0)) / 2 + .pi / 2
      let turn = angle / .pi - (angle / .pi).rounded(.down)
      return Int(turn * Double(directions)) % directions
    }
  }

  /// A wave across the ridges under a bell, without mean, for each direction.
  private static let filters: [[Float]] = (0..<directions).map { direction in
    let angle = (Double(direction) + 0.5) * .pi / Double(directions)
    var taps: [Float] = []
    for y in -reach...reach {
      for x in -reach...reach {
        let across = -Double(x) * sin(angle) + Double(y) * cos(angle)
        let bell = exp(-Double(x * x + y * y) / (2 * spread * spread))
        taps.append(Float(bell * cos(2 * .pi * across / period)))
      }
    }
    let mean = taps.reduce(0, +) / Float(taps.count)
    return taps.map { $0 - mean }
  }

  private static func filtered(_ field: [Float], _ bins: [Int]) -> [Float] {
    let side = 2 * reach + 1
    var result = field
    field.withUnsafeBufferPointer { field in
      for y in 0..<height {
        for x in 0..<width {
          filters[bins[y * width + x]].withUnsafeBufferPointer { filter in
            var (sum, row) = (Float(0), max(0, reach - y))
            let (lastRow, firstColumn) = (min(side, height + reach - y), max(0, reach - x))
            let lastColumn = min(side, width + reach - x)
            // Loops over ranges take most of the time in a debug build.
            while row < lastRow {
              var column = firstColumn
              var (tap, place) = (row * side + column, (y + row - reach) * width + x + column - reach)
              while column < lastColumn {
                sum += filter[tap] * field[place]
                tap &+= 1
                place &+= 1
                column &+= 1
              }
              row += 1
            }
            result[y * width + x] = tanh(sum / 4)
          }
        }
      }
    }
    return result
  }

  /// One impression as the virtual reader takes it: width and height in the byte order of this machine, then a grey
  /// level for each place. Impressions of different numbers are turned, shifted and soiled differently.
  func impression(_ number: UInt64) -> [UInt8] {
    var random = SplitMix64(seed: 1_000 + number)
    let angle = Double.random(in: -0.06...0.06, using: &random)
    let shift = (Double.random(in: -5...5, using: &random), Double.random(in: -5...5, using: &random))
    let (middleX, middleY) = (Double(Self.width) / 2, Double(Self.height) / 2)
    var octets = [Int32(Self.width), Int32(Self.height)].flatMap { size in withUnsafeBytes(of: size) { Array($0) } }
    for y in 0..<Self.height {
      for x in 0..<Self.width {
        let (fromX, fromY) = (Double(x) - middleX, Double(y) - middleY)
        let sourceX = Int((cos(angle) * fromX - sin(angle) * fromY + middleX + shift.0).rounded())
        let sourceY = Int((sin(angle) * fromX + cos(angle) * fromY + middleY + shift.1).rounded())
        let noise = Float.random(in: -25...25, using: &random)
        guard (0..<Self.width).contains(sourceX), (0..<Self.height).contains(sourceY) else {
          octets.append(255)
          continue
        }
        octets.append(UInt8(max(0, min(255, 128 - 110 * ridges[sourceY * Self.width + sourceX] + noise))))
      }
    }
    return octets
  }
}

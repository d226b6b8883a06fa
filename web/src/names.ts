// The names of nodes in the picture: each where it covers no other, the greater nodes' first. Chooses nothing else.

export interface Named { x: number; y: number; size: number; label: string | null; key?: string; forceLabel?: boolean }

type Box = [left: number, top: number, right: number, bottom: number];

const LETTERS = 12, HIGH = 9;

export class Names {
  #waiting: { context: CanvasRenderingContext2D; node: Named; font: string }[] = [];
  #taken: Box[] = [];
  #widths = new Map<string, number>();
  ink = "";
  ground = "";

  /** Begins a frame. */
  clear(): void {
    this.#waiting = [];
    this.#taken = [];
  }

  add(context: CanvasRenderingContext2D, node: Named, font: string): void {
    if (node.label) this.#waiting.push({ context, node, font });
  }

  /** Keeps a place free that is drawn already. */
  block(box: Box): void {
    this.#taken.push(box);
  }

  /** Draws what has room, once the frame knows all. */
  draw(): void {
    const order = (node: Named): number => node.size + (node.forceLabel ? 1000 : 0);
    this.#waiting.sort((a, b) => order(b.node) - order(a.node));
    for (const { context, node, font } of this.#waiting) this.#draw(context, node, font);
    this.#waiting = [];
  }

  #draw(context: CanvasRenderingContext2D, node: Named, font: string): void {
    context.font = `500 ${LETTERS}px ${font}`;
    const wide = this.#measure(context, node.label!), away = node.size + 4;
    const lefts: [number, number][] = [
      [node.x + away, node.y], [node.x - away - wide, node.y], [node.x - wide / 2, node.y + away + 7], [node.x - wide / 2, node.y - away - 6],
    ];
    for (const [left, middle] of lefts) {
      const box: Box = [left - 3, middle - HIGH, left + wide + 3, middle + HIGH];
      if (box[0] < 0 || box[2] > context.canvas.clientWidth) continue;
      if (this.#taken.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])) continue;
      this.#taken.push(box);
      context.lineJoin = "round";
      context.lineWidth = 3.5;
      context.strokeStyle = this.ground;
      context.strokeText(node.label!, left, middle + 4);
      context.fillStyle = this.ink;
      context.fillText(node.label!, left, middle + 4);
      return;
    }
  }

  #measure(context: CanvasRenderingContext2D, label: string): number {
    let wide = this.#widths.get(label);
    if (wide === undefined) {
      if (this.#widths.size > 20_000) this.#widths.clear();
      wide = context.measureText(label).width;
      this.#widths.set(label, wide);
    }
    return wide;
  }
}
